// The running platform, seen from outside: its address book, its HTTP door and its command line.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

export interface PlatformProcess {
  name: string;
  pid: number;
  metricsUrl: string | null;
}

/** What `npm start` writes when all is ready. */
export interface AddressBook {
  url: string;
  apiKey: string;
  tenant: string;
  kafka: string;
  registry: string;
  postgres: string;
  processes: PlatformProcess[];
}

export interface Job {
  id: string;
  documentId: string;
  revision: number;
  state: string;
  analyses: Record<string, string>;
  links: Record<string, string>;
}

export interface Outcome {
  outcome: string;
  run: number;
  code?: string;
  engine?: { kind: string; name: string; version: string };
  coverage?: { charactersRead: number; charactersTotal: number; truncated: boolean };
}

export interface Result {
  jobId: string;
  documentId: string;
  revision: number;
  state: string;
  resultVersion: number;
  resultDigest: string;
  receipt: { complete: boolean; analyses: Record<string, Outcome> };
  results: Record<string, unknown>;
}

const run = crypto.randomUUID().slice(0, 8);

/** A name of this run alone, so that the specs can run again over the same data. */
export const unique = (name: string): string => `${name}-${run}`;

export const analyses = ['classification', 'compliance', 'entity-extraction', 'sentiment', 'summary'];

const statePath = (): string => {
  const path = process.env['ANABRANCH_E2E_STATE'];
  if (!path)
    throw new Error('ANABRANCH_E2E_STATE names no running platform: run the e2e specs with `npm test -- --e2e`');
  return path;
};

/** Read anew on each call: pids change when a part is restarted. */
export const addressBook = (): AddressBook => JSON.parse(readFileSync(statePath(), 'utf8')) as AddressBook;

export const processNamed = (name: string): PlatformProcess => {
  const found = addressBook().processes.find((each) => each.name === name);
  if (!found) throw new Error(`no process named ${name} in ${JSON.stringify(addressBook().processes)}`);
  return found;
};

/** Runs a script of the repository that looks for a running platform, and shows it the one under test. */
export const script = async (path: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await runFile(process.execPath, [path, ...args], {
    cwd: root,
    env: { ...process.env, ANABRANCH_STATE_DIR: dirname(statePath()), NODE_OPTIONS: '' },
  });
  return stdout + stderr;
};

/** Runs the command line that a user would run, against the platform under test. */
export const command = (...args: string[]): Promise<string> => script('tools/stack/cli.mjs', ...args);

/** Tries until `probe` returns something, and says what it last saw when it never does. */
export const eventually = async <T>(
  what: string,
  probe: () => Promise<T | undefined>,
  withinMs = 60_000,
): Promise<T> => {
  const end = performance.now() + withinMs;
  let last: unknown = 'nothing';
  while (performance.now() < end) {
    try {
      const seen = await probe();
      if (seen !== undefined) return seen;
    } catch (error) {
      last = error;
    }
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error(`not within ${withinMs} ms: ${what}; last seen: ${String(last)}`);
};

const headers = (extra: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${addressBook().apiKey}`,
  ...extra,
});

export const get = (path: string): Promise<Response> => fetch(addressBook().url + path, { headers: headers() });

export const post = (
  body: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  path = '/v1/documents',
): Promise<Response> =>
  fetch(addressBook().url + path, { method: 'POST', headers: headers({ 'content-type': contentType }), body });

/** Posts a text and asserts the acceptance: 202 with a job, or the job that exists. */
export const submit = async (document: Record<string, unknown>): Promise<Job> => {
  const response = await post(JSON.stringify(document), 'application/json');
  if (response.status !== 202 && response.status !== 200)
    throw new Error(`POST /v1/documents answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Job;
};

export const submitBytes = async (body: string | Uint8Array<ArrayBuffer>, contentType: string): Promise<Job> => {
  const response = await post(body, contentType);
  if (response.status !== 202 && response.status !== 200)
    throw new Error(`POST /v1/documents answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Job;
};

const unsettled = new Set(['accepted', 'analysing', 'awaiting_review']);

export const settled = (jobId: string, withinMs = 60_000): Promise<Job> =>
  eventually(
    `job ${jobId} settles`,
    async () => {
      const response = await get(`/v1/jobs/${jobId}`);
      if (response.status !== 200) throw new Error(`GET job: ${response.status} ${await response.text()}`);
      const job = (await response.json()) as Job;
      if (unsettled.has(job.state)) throw new Error(`still ${job.state}: ${JSON.stringify(job.analyses)}`);
      return job;
    },
    withinMs,
  );

export const resultOf = async (jobId: string, withinMs = 60_000): Promise<Result> => {
  await settled(jobId, withinMs);
  const response = await get(`/v1/jobs/${jobId}/result`);
  if (response.status !== 200) throw new Error(`GET result: ${response.status} ${await response.text()}`);
  return (await response.json()) as Result;
};

export const textOf = async (jobId: string): Promise<string> => {
  const response = await get(`/v1/jobs/${jobId}/text`);
  if (response.status !== 200) throw new Error(`GET text: ${response.status} ${await response.text()}`);
  return response.text();
};
