import { describe, expect, test } from '@jest/globals';
import { Logger as NestLogger } from '@nestjs/common';
import { createLogger, describeError, runAsService } from '../src/logging.js';
import { createNestLogger } from '../src/nest-logger.js';

function capture(secrets: string[] = [], level = 'trace') {
  const lines: string[] = [];
  const log = createLogger({ level, secrets, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('a log line', () => {
  test('has time, level as a word and what its child logger binds', () => {
    const { log, last } = capture();
    log.child({ service: 'summary' }).info({ jobId: 'j1' }, 'done');
    expect(last()).toEqual({ level: 'info', time: expect.any(String), service: 'summary', jobId: 'j1', msg: 'done' });
    expect(last()['time']).toMatch(/^\d{4}-\d{2}-\d{2}T.*Z$/);
  });

  test.each(['password', 'authorization', 'apiKey', 'token', 'text', 'content', 'body'])(
    'hides %s at any depth up to three',
    (key) => {
      const { log, lines } = capture();
      log
        .child({ [key]: 'hidden' })
        .info({ [key]: 'hidden', a: { [key]: 'hidden', b: [{ [key]: 'hidden' }] } }, 'seen');
      expect(lines.join('')).toContain('seen');
      expect(lines.join('')).not.toContain('hidden');
    },
  );

  test('never holds a configured secret, also escaped or as the credentials of a URL', () => {
    const { log, lines } = capture(['pass"word', 'postgres://app:s3cret@db/anabranch']);
    log.info({ note: 'pass"word' }, 'connect to postgres://app:s3cret@replica/anabranch');
    expect(lines.join('')).not.toMatch(/pass\\"word|s3cret/);
    expect(() => JSON.parse(lines[0] ?? '') as unknown).not.toThrow();
  });
});

describe('an error in the log', () => {
  test('keeps type, message, code, stack and cause, and drops what a driver adds', () => {
    const cause = Object.assign(new TypeError('inner'), {
      code: '23505',
      detail: 'Key (text)=(the document) exists',
      parameters: ['the document'],
    });
    const described = describeError(new Error('outer', { cause }));
    expect(described).toMatchObject({ type: 'Error', message: 'outer', cause: { type: 'TypeError', code: '23505' } });
    expect(described['stack']).toEqual(expect.arrayContaining([expect.stringMatching(/^at /)]));
    expect(JSON.stringify(described)).not.toContain('the document');
  });

  test('has a message of bounded length', () => {
    expect(String(describeError(new Error('x'.repeat(10_000)))['message'])).toHaveLength(501);
  });
});

describe('a line of Nest', () => {
  test('goes to the logger of the service whose code wrote it', () => {
    const { log, lines } = capture();
    NestLogger.overrideLogger(createNestLogger(log.child({ service: 'host' })));
    runAsService(log.child({ service: 'summary' }), () => new NestLogger('Consumer').warn('slow'));
    new NestLogger('Consumer').warn('slow');
    const services = lines.map((line) => (JSON.parse(line) as { service: string }).service);
    expect(services).toEqual(['summary', 'host']);
  });

  test('about an error carries it as one', () => {
    const { log, last } = capture();
    createNestLogger(log).error(new RangeError('too far'), 'a stack', 'Consumer');
    expect(last()).toMatchObject({ msg: 'too far', context: 'Consumer', err: { type: 'RangeError' } });
  });
});
