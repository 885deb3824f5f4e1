// Many documents at a time.
import type { Door } from './door.js';
import { eventually, unique } from './platform.js';
import { rows } from './tables.js';

const lanes = 32;

/** Posts each text as a document of its own, for the summary alone. Returns the jobs' ids, in the order of the texts. */
export async function postAll(
  door: Door,
  texts: readonly string[],
  more: Record<string, unknown> = {},
): Promise<string[]> {
  const jobs: string[] = [];
  const waiting = texts.entries();
  const post = async (): Promise<void> => {
    for (const [at, text] of waiting) {
      const document = { documentId: crypto.randomUUID(), text, analyses: ['summary'], ...more };
      jobs[at] = (await door.submit(document)).id;
    }
  };
  await Promise.all(Array.from({ length: lanes }, post));
  return jobs;
}

/** Texts that no other of this run is equal to. */
export const distinct = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${unique(name)}: Geneva met for the ${at}th time, and it was good.`);

export const allComplete = (jobs: readonly string[]): Promise<true> =>
  eventually(
    'all jobs are complete',
    async () => {
      const states = await rows<{ state: string; count: number }>(
        'SELECT state, count(*)::integer FROM job WHERE id = ANY($1::uuid[]) GROUP BY state',
        [jobs],
      );
      if (states.length === 1 && states[0]?.state === 'complete' && states[0].count === jobs.length)
        return true as const;
      throw new Error(JSON.stringify(states));
    },
    120_000,
  );
