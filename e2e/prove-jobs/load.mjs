// What clients do to the platform while it is hurt: new documents, the same content again, revisions faster than they are
// worked, cancelled jobs, further runs.
import { setTimeout as delay } from 'node:timers/promises';

const sentences = [
  'The committee approved the budget and thanked the team for its excellent work on the difficult project.',
  'Anna Meyer of Northwind Bank answered the letter of 3 May after six weeks, which was far too late.',
  'Please write to ada@example.com before Friday, or call the office in Boston and ask for the manager.',
  'The quarterly invoice is wrong: the amount due is 45 euros higher than what the contract says.',
  'Everybody at the meeting was happy with the result, although the delays had been a great annoyance.',
  'The engineers measured the bridge again and found that it was safe for the heavy trucks of the port.',
];

/** @typedef {{ job: string, analysis: string, run: number }} FurtherRun */

export class Load {
  /** Runs that were granted: what must be in effect in the end, unless a later one is. @type {FurtherRun[]} */ runs =
    [];
  /** Jobs whose cancelling was confirmed. @type {Set<string>} */ cancelled = new Set();
  #client;
  #random;
  #run = crypto.randomUUID().slice(0, 8);
  #number = 0;

  /** @param {{ client: import('./client.mjs').Client, random: import('./random.mjs').Random }} options */
  constructor({ client, random }) {
    this.#client = client;
    this.#random = random;
  }

  /**
   * @param {{ perSecond: number, signal: AbortSignal }} options
   * @returns {Promise<void>} when the signal came and every request was answered
   */
  async run({ perSecond, signal }) {
    const lanes = 12;
    const pauseMs = (lanes / perSecond) * 1_000;
    const lane = async () => {
      while (!signal.aborted) {
        const begin = performance.now();
        await this.#act();
        await delay(Math.max(1, this.#random.between(0, Math.round(2 * pauseMs)) - (performance.now() - begin)));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  #act() {
    const drawn = this.#random.next();
    if (drawn < 0.5) return this.#client.post(this.#newDocument());
    if (drawn < 0.72) return this.#client.post(this.#nextRevision());
    if (drawn < 0.82) return this.#client.post(this.#sharedContent());
    if (drawn < 0.9) return this.#repeatFormer();
    return drawn < 0.95 ? this.#cancelOne() : this.#runAgain();
  }

  #text(name) {
    const chosen = Array.from({ length: this.#random.between(3, 8) }, () => this.#random.pick(sentences));
    return `${name} of ${this.#run}. ${chosen.join(' ')}`;
  }

  #newDocument() {
    this.#number += 1;
    return { documentId: `new-${this.#run}-${this.#number}`, text: this.#text(`Document ${this.#number}`) };
  }

  /** Of a few documents only, so that revisions overtake each other. */
  #nextRevision() {
    this.#number += 1;
    const documentId = `hot-${this.#run}-${this.#random.between(1, 6)}`;
    return { documentId, text: this.#text(`Revision ${this.#number} of ${documentId}`) };
  }

  /** A new document whose content others have: what it needs of a model was bought already, or is being bought. */
  #sharedContent() {
    this.#number += 1;
    const text = `Shared text ${this.#random.between(1, 20)} of ${this.#run}. ${sentences.join(' ')}`;
    return { documentId: `shared-${this.#run}-${this.#number}`, text };
  }

  async #repeatFormer() {
    const former = this.#client.posts.filter(({ jobId }) => jobId !== null);
    if (former.length > 0) await this.#client.repeat(this.#random.pick(former));
  }

  async #cancelOne() {
    const { jobId } = await this.#client.post(this.#newDocument());
    if (jobId === null) return;
    const answer = await this.#client.ask(`/v1/jobs/${jobId}/cancel`, { reason: 'tried' }).catch(() => null);
    if (answer?.status === 200) this.cancelled.add(jobId);
  }

  async #runAgain() {
    const former = this.#client.posts.filter(({ jobId }) => jobId !== null);
    if (former.length === 0) return;
    const { jobId } = this.#random.pick(former);
    const job = await this.#client.ask(`/v1/jobs/${jobId}`).catch(() => null);
    if (job?.status !== 200 || !['complete', 'partial'].includes(job.body.state)) return;
    const analysis = this.#random.pick(Object.keys(job.body.analyses));
    const expectedRun = job.body.runs[analysis];
    const path = `/v1/jobs/${jobId}/analyses/${analysis}/runs`;
    const answer = await this.#client.ask(path, { expectedRun }).catch(() => null);
    if (answer?.status === 202) this.runs.push({ job: String(jobId), analysis, run: answer.body.run });
  }
}
