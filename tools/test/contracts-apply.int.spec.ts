import { topics } from '@anabranch/contracts';
import { testAddress } from '@anabranch/test-support';
import { createTestDatabase, type TestDatabase } from '@anabranch/test-support/postgres';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const tool = fileURLToPath(new URL('../contracts/apply.mjs', import.meta.url));
const definitions = Object.values(topics);
const subjects = definitions.map(({ subject }) => subject).filter((subject) => subject !== null);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function apply(change: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string; stderr: string } {
  const env = {
    ANABRANCH_KAFKA_BROKERS: testAddress('kafka'),
    ANABRANCH_REGISTRY_URL: testAddress('registry'),
    ANABRANCH_POSTGRES_URL: database.url,
    ...change,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

async function existingTopics(): Promise<string[]> {
  const brokers = testAddress('kafka').split(',');
  const admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}

const askRegistry = async (path: string): Promise<unknown> => (await fetch(`${testAddress('registry')}${path}`)).json();

describe('a platform is set up by one step, which may be repeated', () => {
  it('makes topics, registers schemas, writes the catalogue, and then finds nothing to do', async () => {
    const first = apply();
    expect(first).toMatchObject({ status: 0, stderr: '' });
    for (const { analysis } of definitions.filter((each) => each.analysis !== null)) {
      expect(first.stdout).toContain(`added the analysis ${analysis} to the catalogue`);
    }
    expect(await existingTopics()).toEqual(expect.arrayContaining(definitions.map(({ name }) => name)));
    expect(await askRegistry('/subjects')).toEqual(expect.arrayContaining(subjects));

    const second = apply();
    const counts = `${subjects.length} subjects, ${definitions.length} topics`;
    expect(second).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(`^${counts}, \\d+ analyses; nothing to do\n$`),
    });
  });

  it('the registry itself then refuses what would break readers', async () => {
    apply();
    expect(subjects.length).toBeGreaterThanOrEqual(7);
    for (const { subject, compatibility } of definitions) {
      if (subject === null) continue;
      expect(await askRegistry(`/config/${subject}`)).toMatchObject({ compatibilityLevel: compatibility });
    }
  });

  it('says what it needs when it is not told', () => {
    const { status, stderr } = apply({ ANABRANCH_POSTGRES_URL: undefined, ANABRANCH_KAFKA_BROKERS: 'here' });
    expect(status).toBe(78);
    expect(stderr).toContain('ANABRANCH_POSTGRES_URL: is not set');
    expect(stderr).toContain('ANABRANCH_KAFKA_BROKERS: is not host:port');
  });

  it('fails when a part could not be done, and names the part', () => {
    const { status, stderr } = apply({ ANABRANCH_REGISTRY_URL: 'http://127.0.0.1:1' });
    expect(status).toBe(1);
    expect(stderr).toContain('The schema registry at http://127.0.0.1:1 does not answer');
  });
});
