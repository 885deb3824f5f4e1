import type { Json, JsonObject } from '../model-port.js';
import type { Behaviour } from './behaviour.js';
import { answerFor, documentIn } from './schema-answer.js';

/** A request as the server reads it. */
export interface ReadRequest {
  model: string;
  /** The last thing that the user said. */
  prompt: string;
  jsonSchema: Json;
  /** Characters of all messages. */
  characters: number;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Reads what matters of a body; what is missing is empty. */
export function readRequest(body: unknown): ReadRequest {
  const messages = member(body, 'messages');
  const contents = (Array.isArray(messages) ? messages : []).map((message) => ({
    role: String(member(message, 'role')),
    content: String(member(message, 'content')),
  }));
  const documents = contents.filter(({ role }) => role === 'user');
  return {
    model: String(member(body, 'model') ?? ''),
    // A repair shows its error last; the document stands before it.
    prompt:
      documents.find(({ content }) => content.includes('<<<DOCUMENT'))?.content ?? documents.at(-1)?.content ?? '',
    jsonSchema: (member(member(member(body, 'response_format'), 'json_schema'), 'schema') ?? null) as Json,
    characters: contents.reduce((sum, { content }) => sum + content.length, 0),
  };
}

interface Choice {
  content: string | null;
  finishReason: string;
  refusal?: string;
}

const choiceOf = ({ kind, ...behaviour }: Behaviour, { prompt, jsonSchema }: ReadRequest): Choice => {
  const answer = JSON.stringify(answerFor(jsonSchema, documentIn(prompt)));
  switch (kind) {
    case 'say':
      return { content: 'text' in behaviour ? behaviour.text : '', finishReason: 'stop' };
    case 'refusal':
      return { content: null, finishReason: 'stop', refusal: 'I cannot help with that.' };
    case 'content-filter':
      return { content: null, finishReason: 'content_filter' };
    case 'length':
      return { content: answer.slice(0, Math.floor(answer.length / 2)), finishReason: 'length' };
    case 'fenced':
      return { content: `\`\`\`json\n${answer}\n\`\`\``, finishReason: 'stop' };
    case 'schema-violation':
      return { content: JSON.stringify({ unexpected: true }), finishReason: 'stop' };
    case 'empty':
      return { content: '', finishReason: 'stop' };
    default:
      return { content: answer, finishReason: 'stop' };
  }
};

const charactersPerToken = 4;

/** The body of a completion. */
export function completionOf(behaviour: Behaviour, request: ReadRequest, id: string): JsonObject {
  const { content, finishReason, refusal = null } = choiceOf(behaviour, request);
  const usage = {
    prompt_tokens: Math.ceil(request.characters / charactersPerToken),
    completion_tokens: Math.ceil((content ?? '').length / charactersPerToken),
  };
  return {
    id,
    object: 'chat.completion',
    model: request.model,
    choices: [{ index: 0, message: { role: 'assistant', content, refusal }, finish_reason: finishReason }],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}
