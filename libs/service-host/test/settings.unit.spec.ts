import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { describeSettings, readSettings, secretValues, unknownSettings, variableOf } from '../src/settings.js';

describe('a setting', () => {
  test.each([
    ['logLevel', 'ANABRANCH_LOG_LEVEL'],
    ['port', 'ANABRANCH_PORT'],
    ['s3BucketName', 'ANABRANCH_S3_BUCKET_NAME'],
  ])('%s is read from %s', (key, variable) => {
    expect(variableOf(key)).toBe(variable);
  });

  test('that is set to nothing counts as not set', () => {
    const schema = z.object({ poolSize: z.coerce.number().default(5) });
    expect(readSettings(schema, { ANABRANCH_POOL_SIZE: '' })).toEqual({ values: { poolSize: 5 }, faults: [] });
  });

  test('keeps its description and its secrecy behind defaults and transforms', () => {
    const schema = z.object({
      brokers: z
        .string()
        .describe('a comma list')
        .transform((list) => list.split(',')),
      apiToken: z.string().meta({ secret: true }).optional().describe('a token'),
    });
    expect(describeSettings(schema)).toEqual([
      { key: 'brokers', variable: 'ANABRANCH_BROKERS', description: 'a comma list', secret: false, required: true },
      { key: 'apiToken', variable: 'ANABRANCH_API_TOKEN', description: 'a token', secret: true, required: false },
    ]);
  });

  test('may depend on another one, and the rule is reported like any other fault', () => {
    const schema = z
      .object({ softLimit: z.coerce.number(), hardLimit: z.coerce.number() })
      .refine(({ softLimit, hardLimit }) => softLimit <= hardLimit, { error: 'softLimit is above hardLimit' });
    expect(readSettings(schema, { ANABRANCH_SOFT_LIMIT: '9', ANABRANCH_HARD_LIMIT: '3' }).faults).toEqual([
      { variable: 'settings together', reason: 'softLimit is above hardLimit', fix: 'see docs/configuration.md' },
    ]);
  });

  test('that lacks what another one needs says why it must be set, and what it is', () => {
    const schema = z
      .object({ softLimit: z.coerce.number().optional().describe('a limit'), hardLimit: z.coerce.number() })
      .refine(({ softLimit }) => softLimit !== undefined, { path: ['softLimit'], error: 'a hard limit needs it' });
    expect(readSettings(schema, { ANABRANCH_HARD_LIMIT: '3' }).faults).toEqual([
      {
        variable: 'ANABRANCH_SOFT_LIMIT',
        reason: 'is not set: a hard limit needs it',
        fix: 'set it (a limit)',
      },
    ]);
  });

  test('with a password in its URL counts as a secret though its schema forgot to say so', () => {
    const schema = z.object({ postgresUrl: z.string().refine((url) => url.startsWith('postgres:'), { error: 'no' }) });
    const env = { ANABRANCH_POSTGRES_URL: 'mysql://root:hunter2@localhost' };
    expect(JSON.stringify(readSettings(schema, env))).not.toContain('hunter2');
    expect(secretValues(schema, env)).toEqual(['mysql://root:hunter2@localhost']);
  });
});

describe('an unknown name', () => {
  const known = ['ANABRANCH_KAFKA_BROKERS', 'ANABRANCH_LOG_LEVEL'];

  test('is a fault that suggests the nearest known one', () => {
    expect(unknownSettings({ ANABRANCH_LOGLEVEL: 'info' }, known)).toEqual([
      {
        variable: 'ANABRANCH_LOGLEVEL',
        reason: 'is not a setting of Anabranch',
        fix: 'did you mean ANABRANCH_LOG_LEVEL? Otherwise remove it: docs/configuration.md lists all',
      },
    ]);
  });

  test('that was cut short is the one that it begins, not one that looks alike', () => {
    const names = ['ANABRANCH_KAFKA_BROKERS', 'ANABRANCH_KAFKA_HEARTBEAT_INTERVAL_MS'];
    const [fault] = unknownSettings({ ANABRANCH_KAFKA_HEARTBEAT: '3' }, names);
    expect(fault?.fix).toContain('did you mean ANABRANCH_KAFKA_HEARTBEAT_INTERVAL_MS?');
  });

  test('that is alike in nothing but the prefix is reported without a guess', () => {
    expect(unknownSettings({ ANABRANCH_KEY: 'x' }, ['ANABRANCH_MODEL'])[0]?.fix).not.toContain('did you mean');
  });

  test('unlike all others is reported without a guess', () => {
    expect(unknownSettings({ ANABRANCH_FROBNICATE: '1' }, known)[0]?.fix).toBe(
      'remove it: docs/configuration.md lists all',
    );
  });

  test('of a test run or of another product is passed over', () => {
    expect(unknownSettings({ ANABRANCH_TEST_KAFKA: 'x', PATH: '/bin' }, known)).toEqual([]);
  });
});
