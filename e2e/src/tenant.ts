// A tenant of a spec's own, with a key that the command line made: its rules touch nobody else's documents.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { addressBook, eventually, unique, type Job, type Result } from './platform.js';

const runFile = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

export interface Answer<T = Record<string, unknown>> {
  status: number;
  body: T;
}

export interface Tenant {
  id: string;
  apiKey: string;
  ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
  submit(document: Record<string, unknown>): Promise<Job>;
  /** What came of a job, once it is settled. */
  resultOf(jobId: string): Promise<Result>;
}

export const createTenant = async (name: string): Promise<Tenant> => {
  const id = unique(name);
  const { stdout } = await runFile(
    process.execPath,
    ['libs/database/dist/access/create-api-key.js', '--tenant', id, '--name', 'e2e'],
    { cwd: root, env: { ...process.env, ANABRANCH_POSTGRES_URL: addressBook().postgres, NODE_OPTIONS: '' } },
  );
  const { key } = JSON.parse(stdout) as { key: string };
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(addressBook().url + path, { method, headers, ...init });
    return { status: response.status, body: (await response.json()) as T };
  };
  return {
    id,
    apiKey: key,
    ask,
    async submit(document) {
      const { status, body } = await ask<Job>('POST', '/v1/documents', document);
      if (status !== 202) throw new Error(`POST /v1/documents answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    resultOf: (jobId) =>
      eventually(`job ${jobId} settles`, async () => {
        const { status, body } = await ask<Result>('GET', `/v1/jobs/${jobId}/result`);
        if (status === 409) return undefined;
        if (status !== 200) throw new Error(`GET result: ${status} ${JSON.stringify(body)}`);
        return body;
      }),
  };
};
