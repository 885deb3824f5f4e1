import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDecoder, readHeader } from '@anabranch/contracts';
import { createSchemaRegistry, type SchemaRegistry } from '../src/index.js';
import { Platform } from './harness/platform.js';

describe('the schema registry', () => {
  let platform: Platform;
  let registry: SchemaRegistry;
  let now = 0;
  const unknownId = 2_000_000_000;

  beforeAll(async () => {
    platform = await Platform.start();
    registry = createSchemaRegistry({ config: platform.config, unknownForMs: 1_000, now: () => now });
  });
  afterAll(() => platform.close());

  it('finds the id of this process’s schema, and the schema of an id, by which a record is decoded', async () => {
    const { schemaId, body } = readHeader(await platform.encoded('document', 'the text'));
    expect(await registry.idOf('document.ingested')).toBe(schemaId);
    expect(registry.cachedWriterSchema(schemaId)).toBeUndefined();
    const schema = await registry.writerSchema(schemaId);
    expect(registry.cachedWriterSchema(schemaId)).toBe(schema);
    expect(createDecoder('document.ingested').decode(schemaId, schema, body).text).toBe('the text');
  });

  it('names an unknown id poison, and believes so for a while without asking again', async () => {
    await expect(registry.writerSchema(unknownId)).rejects.toMatchObject({ code: 'UNKNOWN_SCHEMA_ID' });
    expect(() => registry.cachedWriterSchema(unknownId)).toThrow(/no schema with the id/);
    now += 1_001;
    expect(registry.cachedWriterSchema(unknownId)).toBeUndefined();
  });

  it('names a registry that is down, or another server at its address, a dependency and no fault of a record', async () => {
    const elsewhere = new URL(platform.config.registryUrl);
    elsewhere.pathname = '/not-the-registry';
    for (const registryUrl of ['http://127.0.0.1:1', elsewhere.href]) {
      const broken = createSchemaRegistry({ config: { registryUrl } });
      await expect(broken.writerSchema(1)).rejects.toMatchObject({ dependency: 'registry' });
      await expect(broken.idOf('document.ingested')).rejects.toMatchObject({ dependency: 'registry' });
    }
  });

  it('stops a service whose schema nobody registered, and says what to run', async () => {
    const config = { ...platform.config, topicPrefix: 'nobody-registered-this.' };
    await expect(createSchemaRegistry({ config }).idOf('document.ingested')).rejects.toThrow(
      /lacks the newest version of nobody-registered-this.document.ingested-value.*npm start/,
    );
  });

  it('asks again after a failure', async () => {
    const config = { registryUrl: 'http://127.0.0.1:1' };
    const recovering = createSchemaRegistry({ config });
    await expect(recovering.idOf('document.ingested')).rejects.toMatchObject({ dependency: 'registry' });
    await expect(recovering.idOf('document.ingested')).rejects.toMatchObject({ dependency: 'registry' });
  });
});
