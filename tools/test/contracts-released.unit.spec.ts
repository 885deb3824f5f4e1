import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checksumOf } from '../contracts/canonical.mjs';
import { addReleases, readReleased, releasedFaults } from '../contracts/released.mjs';

const schema = { type: 'record', name: 'Thing', fields: [{ name: 'a', type: 'string' }] };
const changed = { ...schema, doc: 'changed' };

const thing = (...schemas: object[]): object[] => [
  { name: 'thing', versions: schemas.map((each, index) => ({ version: index + 1, schema: each })) },
];

function inFolder(action: (file: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'anabranch-released-'));
  try {
    action(join(folder, 'released.json'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a released version never changes', () => {
  it('white space and the file’s form do not count', () => {
    expect(checksumOf(JSON.parse(JSON.stringify(schema, null, 4)))).toBe(checksumOf(schema));
  });

  it('a change is found, and the next version is what to make of it', () => {
    const released = { thing: { v1: checksumOf(schema) } };
    expect(releasedFaults(thing(schema), released)).toEqual([]);
    expect(releasedFaults(thing(changed), released)).toEqual([expect.stringContaining('in the next version')]);
  });

  it('a version or a topic that is gone is found', () => {
    const released = { thing: { v1: checksumOf(schema) } };
    expect(releasedFaults([], released)).toEqual([expect.stringContaining('thing/v1.avsc is released and is gone')]);
  });

  it('the list itself cannot be lost', () => {
    expect(releasedFaults(thing(schema), undefined)).toEqual([expect.stringContaining('released.json is missing')]);
  });

  it('only the newest version may be unreleased', () => {
    const released = { thing: { v1: checksumOf(schema) } };
    expect(releasedFaults(thing(schema, changed), released)).toEqual([]);
    expect(releasedFaults(thing(schema, changed, schema), released)).toEqual([expect.stringContaining('v2.avsc')]);
  });
});

describe('release', () => {
  it('adds what is new and leaves what is there, even when its file was changed', () => {
    inFolder((file) => {
      expect(addReleases(file, thing(schema))).toEqual(['thing/v1']);
      expect(addReleases(file, thing(changed, schema))).toEqual(['thing/v2']);
      expect(readReleased(file)).toEqual({ thing: { v1: checksumOf(schema), v2: checksumOf(schema) } });
      const before = readFileSync(file, 'utf8');
      expect(addReleases(file, thing(changed, schema))).toEqual([]);
      expect(readFileSync(file, 'utf8')).toBe(before);
    });
  });

  it('without a file there is nothing released', () => {
    inFolder((file) => expect(readReleased(file)).toBeUndefined());
  });
});
