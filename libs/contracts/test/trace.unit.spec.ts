import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { childTraceparent, newTraceparent, parseTraceparent } from '../src/index.js';

// The valid and invalid ones are from the recommendation and its test suite.
const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('one document, one trace', () => {
  it('a traceparent is read as it was written', () => {
    expect(parseTraceparent(valid)).toEqual({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      sampled: true,
    });
    expect(parseTraceparent(Buffer.from(valid.replace(/01$/, '00')))?.sampled).toBe(false);
  });

  it('a later version is read by its first four parts', () => {
    expect(parseTraceparent(valid.replace(/^00/, 'cc'))).not.toBeNull();
    expect(parseTraceparent(`${valid.replace(/^00/, 'cc')}-what-the-future-holds`)).not.toBeNull();
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['the forbidden version', valid.replace(/^00/, 'ff')],
    ['upper case', valid.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a span id of zeros', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
    ['version 00 with more parts', `${valid}-more`],
    ['a dot at the end', valid.replace(/^00/, 'cc') + '.'],
    ['too short', valid.slice(0, -1)],
  ])('%s is none, and starts a new trace', (_, header) => {
    expect(parseTraceparent(header)).toBeNull();
    expect(parseTraceparent(childTraceparent(header))).not.toBeNull();
  });

  it('binary headers are none, and do no harm', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => parseTraceparent(Buffer.from(bytes)) === null));
  });

  it('a step keeps the trace and the choice to sample, and gets a span of its own', () => {
    const child = parseTraceparent(childTraceparent(valid.replace(/01$/, '00')));
    expect(child).toMatchObject({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: false });
    expect(child?.spanId).not.toBe('00f067aa0ba902b7');
  });

  it('a new trace is valid, and another each time', () => {
    expect(parseTraceparent(newTraceparent())).toMatchObject({ sampled: true });
    expect(newTraceparent()).not.toBe(newTraceparent());
  });
});
