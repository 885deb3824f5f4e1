import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { BadOutput, defineReply } from '../src/definition.js';
import { buildRequest, fenced, repairRequest, withMoreRoom } from '../src/model/build-request.js';
import { choiceFrom, usesModel, withModelSettings } from '../src/model/model-settings.js';
import { askingWith, promptOf } from './fixtures/asking.analysis.js';

const choice = { provider: 'fake', model: 'small', promptVersion: '1', temperature: 0, chunkCharacters: 5_000 };
const reply = defineReply(
  'colours',
  z.object({
    colours: z.array(z.object({ name: z.enum(['RED', 'BLUE']), share: z.number().min(0).max(1) })).describe('All.'),
    note: z.string().min(1).max(50),
  }),
);
const faultOf = (value: unknown): string => {
  try {
    reply.read(value);
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(BadOutput);
    return (error as Error).message;
  }
};

describe('the form of a reply', () => {
  it('is told as strict modes of providers take it: all members required, no other, no lengths', () => {
    expect(reply.schema).toEqual({
      name: 'colours',
      jsonSchema: {
        type: 'object',
        properties: {
          colours: {
            type: 'array',
            description: 'All.',
            items: {
              type: 'object',
              properties: {
                name: { type: 'string', enum: ['RED', 'BLUE'] },
                share: { type: 'number', minimum: 0, maximum: 1 },
              },
              required: ['name', 'share'],
              additionalProperties: false,
            },
          },
          note: { type: 'string' },
        },
        required: ['colours', 'note'],
        additionalProperties: false,
      },
    });
  });

  it('is what a reply is held to, and what is beside it does not count', () => {
    const value = { colours: [{ name: 'RED', share: 1, extra: true }], note: 'x', more: 1 };
    expect(reply.read(value)).toEqual({ colours: [{ name: 'RED', share: 1 }], note: 'x' });
  });

  it.each([
    [{ colours: [{ name: 'Jane Ellery', share: 1 }], note: 'x' }, 'colours.0.name must be one of ["RED","BLUE"]'],
    [{ colours: [{ name: 'RED', share: 95 }], note: 'x' }, 'colours.0.share must be at most 1'],
    [{ colours: 'Jane Ellery', note: 'x' }, 'colours must be of type array'],
    [{ colours: [] }, 'note must be of type string'],
    [['Jane Ellery'], 'the reply must be of type object'],
  ])('names what is wrong and where, and quotes nothing: %j', (value, fault) => {
    expect(faultOf(value)).toBe(fault);
    expect(faultOf(value)).not.toContain('Jane');
  });

  it('names a few faults, not hundreds', () => {
    const value = { colours: Array.from({ length: 100 }, () => ({ name: 'x', share: 'y' })), note: 'x' };
    expect(faultOf(value).split('; ')).toHaveLength(5);
  });
});

describe('a request', () => {
  const question = { ...reply, instructions: 'Name the colours.', text: 'Red. Blue.', maxOutputTokens: 100 };
  const request = buildRequest(question, choice);

  it('has instructions and schema first, the document last', () => {
    expect(request).toMatchObject({
      provider: 'fake',
      model: 'small',
      parameters: { maxOutputTokens: 100, temperature: 0 },
    });
    const [system, user] = request.messages;
    expect(system?.content.startsWith('Name the colours.')).toBe(true);
    expect(system?.content).toContain(JSON.stringify(reply.schema.jsonSchema));
    expect(user?.content).toBe(fenced('Red. Blue.'));
  });

  it('leaves the temperature to the provider when it is told to', () => {
    expect(buildRequest(question, { ...choice, temperature: null }).parameters).toEqual({ maxOutputTokens: 100 });
  });

  it('has a fence that depends on the text and does not stand in it', () => {
    expect(fenced('a')).toBe(fenced('a'));
    expect(fenced('a')).not.toContain(/<<<DOCUMENT (\w+)>>>/.exec(fenced('b'))?.[1]);
  });

  it('with more room differs in that alone', () => {
    expect(withMoreRoom(request, 4)).toEqual({ ...request, parameters: { maxOutputTokens: 400, temperature: 0 } });
  });

  it('for a repair shows the bad reply, or that there was none, and never more than fits', () => {
    const repair = repairRequest(request, '', 'it is empty');
    expect(repair.messages.slice(0, 2)).toEqual(request.messages);
    expect(repair.messages[2]?.content).toBe('(nothing)');
    expect(repair.messages[3]?.content).toContain('it is empty');
    const long = repairRequest(request, '😀'.repeat(20_001), 'it is not JSON').messages[2]?.content ?? '';
    expect(long.length).toBeLessThanOrEqual(16_000);
    expect(long.isWellFormed()).toBe(true);
  });
});

describe('the settings of an analysis that can use a model', () => {
  const definition = { ...askingWith(promptOf('1')), name: 'entity-extraction' as const };
  const schema = withModelSettings(z.object({}), definition);
  const postgresUrl = 'postgres://127.0.0.1:1/none';
  const address = { modelBaseUrl: 'http://127.0.0.1:1/v1', model: 'small', postgresUrl };

  it('leave it with its engine unless it is switched', () => {
    const settings = schema.parse(address);
    expect(usesModel(definition, settings)).toBe(false);
    expect(schema.safeParse({}).success).toBe(true);
  });

  it('switch it with the address and the name of a model', () => {
    const settings = schema.parse({ ...address, entityExtractionEngine: 'model', modelTemperature: 'provider' });
    expect(usesModel(definition, settings)).toBe(true);
    expect(choiceFrom(definition, settings)).toEqual({
      provider: 'openai-compatible',
      model: 'small',
      temperature: null,
      chunkCharacters: 16_000,
    });
  });

  it('may give it a model of its own', () => {
    const { model: _, ...rest } = address;
    const settings = schema.parse({ ...rest, entityExtractionEngine: 'model', entityExtractionModel: 'large' });
    expect(choiceFrom(definition, settings).model).toBe('large');
  });

  it.each(['modelBaseUrl', 'model', 'postgresUrl'] as const)(
    'are a fault of %s, which names the switch, when it is missing',
    (missing) => {
      const { [missing]: _, ...given } = address;
      const { error } = schema.safeParse({ ...given, entityExtractionEngine: 'model' });
      expect(error?.issues).toMatchObject([
        { path: [missing], message: 'ANABRANCH_ENTITY_EXTRACTION_ENGINE is "model"' },
      ]);
    },
  );

  it('need Postgres in any case where the analysis needs it for more than a model', () => {
    const own = z.object({ postgresUrl: z.string() });
    expect(withModelSettings(own, definition).safeParse({}).success).toBe(false);
  });

  it('are none for an analysis that has no prompts', () => {
    const config = z.object({});
    const { languageModel: _, ...without } = definition;
    expect(withModelSettings(config, without)).toBe(config);
  });
});
