import { failureCodes, PoisonMessage, Refused } from '@anabranch/failures';
import type { ModelReply, ModelRequest } from '@anabranch/language-model';
import { BadOutput } from './bad-output.js';
import { buildRequest, repairRequest, withMoreRoom } from './build-request.js';
import type { ModelBill } from './model-bill.js';
import type { AskOptions, ModelCalls, ModelChoice } from './model-calls.js';
import type { Question } from './model-prompt.js';

/** How a reply was found. */
export type Reading = 'read' | 'bad' | 'cut' | 'refused';

/** A run that is under way. */
export interface Asking {
  readonly calls: ModelCalls;
  readonly choice: ModelChoice;
  readonly options: Omit<AskOptions, 'call'>;
  readonly bill: ModelBill;
  /** Told about each reply. */
  onReading(reading: Reading): void;
}

const roomFactor = 4;

const codeFence = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i;

/** A reply as JSON; one that stands in a code fence, as models like to put it, is taken out. */
function parseReply(text: string): unknown {
  try {
    return JSON.parse(codeFence.exec(text)?.[1] ?? text) as unknown;
  } catch {
    // The error of `JSON.parse` quotes the reply.
    throw new BadOutput(text.trim() === '' ? 'it is empty' : 'it is not JSON');
  }
}

function refusalOf(reply: ModelReply, provider: string): Refused {
  const code = reply.finishReason === 'refusal' ? 'MODEL_REFUSED' : 'CONTENT_FILTERED';
  return new Refused(code, failureCodes[code].text, { provider });
}

async function askOnce(asking: Asking, request: ModelRequest, call: string): Promise<ModelReply> {
  const { calls, options, bill } = asking;
  const answer = await calls.ask(request, { ...options, call }).catch((error: unknown) => {
    bill.addFailed(error);
    throw error;
  });
  bill.add(answer);
  const { reply } = answer;
  if (reply.finishReason === 'stop' || reply.finishReason === 'length') return reply;
  asking.onReading('refused');
  throw refusalOf(reply, request.provider);
}

/** What a question's reply says, or what is wrong with it. */
function read<T>(asking: Asking, question: Question<T>, { text, finishReason }: ModelReply): { value: T } | BadOutput {
  try {
    if (finishReason === 'length') throw new BadOutput('it was cut, because it is too long');
    const value = question.read(parseReply(text));
    asking.onReading('read');
    return { value };
  } catch (error) {
    if (!(error instanceof BadOutput)) throw error;
    asking.onReading('bad');
    return error;
  }
}

/**
 * Asks one question and reads the reply. A reply that was cut is asked for once more with more room; a bad one is shown
 * to the model once, with what is wrong. Each is a request of its own, whose answer is stored: a run that is repeated
 * takes the same path without a call.
 * @param call names the question within its run
 * @throws PoisonMessage BAD_OUTPUT; Refused MODEL_REFUSED, CONTENT_FILTERED; what `ModelCalls.ask` throws
 */
export async function askQuestion<T>(asking: Asking, question: Question<T>, call: string): Promise<T> {
  let request = buildRequest(question, asking.choice);
  let reply = await askOnce(asking, request, call);
  if (reply.finishReason === 'length') {
    asking.onReading('cut');
    request = withMoreRoom(request, roomFactor);
    reply = await askOnce(asking, request, `${call}+room`);
  }
  const first = read(asking, question, reply);
  if ('value' in first) return first.value;
  const repaired = await askOnce(asking, repairRequest(request, reply.text, first.message), `${call}+repair`);
  const second = read(asking, question, repaired);
  if ('value' in second) return second.value;
  throw new PoisonMessage('BAD_OUTPUT', `The model's reply is not what was asked for, twice: ${second.message}.`);
}
