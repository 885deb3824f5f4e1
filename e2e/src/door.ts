// The HTTP door of an ingestion that may die at any moment: what gets no answer is asked again.
import { addressBook, eventually, type Job, type Result } from './platform.js';

export interface Door {
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Posts until it is answered, always with the same Idempotency-Key. */
  submit(document: Record<string, unknown>): Promise<Job>;
  job(id: string): Promise<Job & { waits?: Record<string, { reason: string }> }>;
  /** Waits until it has settled, in that state. */
  settled(id: string, state?: string, withinMs?: number): Promise<Result>;
}

const isSettled = (state: string): boolean => !['accepted', 'analysing', 'awaiting_review'].includes(state);

export const doorAt = (url: string, apiKey = addressBook().apiKey): Door => {
  const ask: Door['ask'] = (method, path, body, headers = {}) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const job: Door['job'] = async (id) => {
    const response = await ask('GET', `/v1/jobs/${id}`);
    if (response.status !== 200) throw new Error(`GET job: ${response.status} ${await response.text()}`);
    return (await response.json()) as Awaited<ReturnType<Door['job']>>;
  };
  return {
    ask,
    job,
    submit(document) {
      const key = { 'idempotency-key': `"${crypto.randomUUID()}"` };
      return eventually('a document is accepted', async () => {
        const response = await ask('POST', '/v1/documents', document, key);
        const answer = (await response.json()) as Job;
        if (response.status !== 202 && response.status !== 200) throw new Error(JSON.stringify(answer));
        return answer;
      });
    },
    settled: (id, state = 'complete', withinMs = 60_000) =>
      eventually(
        `job ${id} is ${state}`,
        async () => {
          const seen = await job(id);
          if (!isSettled(seen.state) || seen.state !== state) throw new Error(JSON.stringify(seen));
          return (await (await ask('GET', `/v1/jobs/${id}/result`)).json()) as Result;
        },
        withinMs,
      ),
  };
};
