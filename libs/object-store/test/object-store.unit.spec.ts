import { expect, it, describe, beforeEach, afterEach } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, mkdir, readdir, rm, symlink, writeFile, truncate, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { actionFor } from '@anabranch/failures';
import { createObjectStore, objectKey, type ObjectStore } from '../src/index.js';

const text = Buffer.from('The river parts, and joins again.', 'utf8');
const sha256 = createHash('sha256').update(text).digest('hex');
const key = objectKey({ tenantId: 'acme', documentId: 'letter/../7 ☂', revision: 3, name: 'text' });

let folder: string;
let store: ObjectStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'object-store-'));
  store = createObjectStore({ objectStoreDir: join(folder, 'objects') });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const pathOf = (objectKeyText: string) => join(folder, 'objects', objectKeyText);
const staged = () => readdir(join(folder, 'objects', '.staging'));

describe('an object', () => {
  it('comes back byte for byte, with a claim check that proves it', async () => {
    const ref = await store.put(key, text);
    expect(ref).toEqual({ key, sha256, bytes: text.length });
    expect(await store.get(ref, 'acme')).toEqual(text);
    expect(await store.has(key)).toBe(true);
  });

  it('may be empty', async () => {
    const ref = await store.put(key, new Uint8Array());
    expect(await store.get(ref, 'acme')).toHaveLength(0);
  });

  it('survives a second store on the same folder', async () => {
    const ref = await store.put(key, text);
    const other = createObjectStore({ objectStoreDir: join(folder, 'objects') });
    expect(await other.get(ref, 'acme')).toEqual(text);
  });

  it('is gone after its removal, and removing it again is no fault', async () => {
    await store.put(key, text);
    await store.remove(key);
    await store.remove(key);
    expect(await store.has(key)).toBe(false);
  });
});

describe('a key', () => {
  it('lies below tenant, document and revision, and hides the document id', () => {
    expect(key).toMatch(/^acme\/[0-9a-f]{64}\/3\/text$/);
  });

  it('differs for documents that differ only in their case or normal form', () => {
    const keyOf = (documentId: string) => objectKey({ tenantId: 'acme', documentId, revision: 1, name: 'text' });
    expect(new Set(['a', 'A', 'é', 'e\u0301'].map(keyOf)).size).toBe(4);
  });

  const hostileNames = [
    { tenantId: '..', revision: 1, name: 'text' },
    { tenantId: 'a/b', revision: 1, name: 'text' },
    { tenantId: '', revision: 1, name: 'text' },
    { tenantId: 'acme', revision: '../..', name: 'text' },
    { tenantId: 'acme', revision: 1, name: '../../../etc/passwd' },
    { tenantId: 'acme', revision: 1, name: 'a\0b' },
    { tenantId: 'acme', revision: 1, name: '.hidden' },
    { tenantId: 'acme', revision: 1, name: 'x'.repeat(129) },
  ];
  it.each(hostileNames)('is not made of $tenantId, $revision and $name', (parts) => {
    expect(() => objectKey({ documentId: 'd', ...parts })).toThrow('An object key needs');
  });

  const hostileKeys = [
    '../outside',
    'acme/../../outside',
    'acme/..',
    'acme/./text',
    'acme//text',
    '/etc/passwd',
    'acme/text/',
    'acme\\..\\outside',
    'acme/%2e%2e/outside',
    'acme/a\0b',
    '.staging/x',
    'acme',
    '',
    `acme/${'x'.repeat(300)}`,
    Array.from({ length: 9 }, () => 'acme').join('/'),
    'acme/\u2024\u2024/x',
  ];
  it.each(hostileKeys)('that is %j reads nothing, writes nothing, removes nothing', async (hostile) => {
    await writeFile(join(folder, 'outside'), text);
    await expect(store.get({ key: hostile, sha256, bytes: text.length }, 'acme')).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
    });
    await expect(store.put(hostile, Buffer.from('x'))).rejects.toThrow('Not an object key');
    await expect(store.remove(hostile)).rejects.toThrow('Not an object key');
    expect(await store.has(hostile)).toBe(false);
    expect(await readFile(join(folder, 'outside'))).toEqual(text);
  });

  it('of another tenant reads nothing, also when that tenant’s name begins with this one’s', async () => {
    const ref = await store.put('acme-eu/document/1/text', text);
    await expect(store.get(ref, 'acme')).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    await expect(store.get(ref, '')).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
  });

  it('does not follow a symbolic link out of the store', async () => {
    await writeFile(join(folder, 'outside'), text);
    await mkdir(dirname(pathOf(key)), { recursive: true });
    await symlink(join(folder, 'outside'), pathOf(key));
    await expect(store.get({ key, sha256, bytes: text.length }, 'acme')).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
    });
  });
});

describe('content that is not what the claim check says', () => {
  it('is poison CONTENT_MISSING when nothing is there', async () => {
    await store.check();
    const failure = await store.get({ key, sha256, bytes: 1 }, 'acme').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'CONTENT_MISSING' });
    expect(actionFor(failure)).toBe('dead-letter');
  });

  it('is poison CONTENT_MISSING when the key names a folder, or something below an object', async () => {
    await store.put(key, text);
    const ref = { sha256, bytes: text.length };
    await expect(store.get({ key: dirname(key), ...ref }, 'acme')).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    await expect(store.get({ key: `${key}/more`, ...ref }, 'acme')).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
  });

  it('is poison CONTENT_MISMATCH when one bit has turned', async () => {
    const ref = await store.put(key, text);
    const damaged = Buffer.from(text);
    damaged.writeUInt8(damaged.readUInt8(5) ^ 1, 5);
    await writeFile(pathOf(key), damaged);
    await expect(store.get(ref, 'acme')).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  });

  it('is poison CONTENT_MISMATCH when it was cut, or the claim check lies about its length', async () => {
    const ref = await store.put(key, text);
    await expect(store.get({ ...ref, bytes: ref.bytes + 1 }, 'acme')).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
    await truncate(pathOf(key), 5);
    await expect(store.get(ref, 'acme')).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  });
});

describe('a key is written once', () => {
  it('takes the same bytes again, as a redelivery brings them', async () => {
    const first = await store.put(key, text);
    expect(await store.put(key, text)).toEqual(first);
  });

  it('never replaces its bytes by others', async () => {
    const ref = await store.put(key, text);
    await expect(store.put(key, Buffer.from('other'))).rejects.toThrow('a key is written once');
    expect(await store.get(ref, 'acme')).toEqual(text);
  });

  it('holds one of the contents, whole, when many writers race for it', async () => {
    const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(100_000, 65 + index));
    const results = await Promise.allSettled(contents.map((content) => store.put(key, content)));
    const winners = results.filter((result) => result.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const [winner] = winners;
    if (!winner) throw new Error('no winner');
    expect((await store.get(winner.value, 'acme')).length).toBe(100_000);
    expect(await staged()).toEqual([]);
  });

  it('lets all win who write the same', async () => {
    const refs = await Promise.all(Array.from({ length: 20 }, () => store.put(key, text)));
    expect(new Set(refs.map((ref) => JSON.stringify(ref))).size).toBe(1);
    expect(await store.get({ key, sha256, bytes: text.length }, 'acme')).toEqual(text);
    expect(await staged()).toEqual([]);
  });
});

describe('a store that is down', () => {
  it('blames the store, not the message, when its folder is gone', async () => {
    const ref = await store.put(key, text);
    await rm(join(folder, 'objects'), { recursive: true });
    const failure = await store.get(ref, 'acme').catch((error: unknown) => error);
    expect(failure).toMatchObject({ dependency: 'object-store' });
    expect(actionFor(failure)).toBe('pause-intake');
    await expect(store.has(key)).rejects.toMatchObject({ dependency: 'object-store' });
  });

  it('refuses to store, and says so in its check, when a file stands in its place', async () => {
    await writeFile(join(folder, 'file'), '');
    const broken = createObjectStore({ objectStoreDir: join(folder, 'file') });
    await expect(broken.put(key, text)).rejects.toMatchObject({ dependency: 'object-store' });
    await expect(broken.get({ key, sha256, bytes: 1 }, 'acme')).rejects.toMatchObject({ dependency: 'object-store' });
    await expect(broken.check()).rejects.toMatchObject({ dependency: 'object-store' });
  });

  it('leaves nothing half written behind when the object cannot get its name', async () => {
    await store.put('acme/document', text);
    await expect(store.put('acme/document/1/text', text)).rejects.toThrow('cannot be used');
    expect(await staged()).toEqual([]);
  });
});
