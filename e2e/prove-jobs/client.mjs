// A client as the documentation wants one: a key of its own for each document, and the same request again until it is
// answered, at whichever door. What it was told is the ledger outside of the system.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {object} Post
 * @property {string} key the Idempotency-Key
 * @property {Record<string, unknown>} document
 * @property {string | null} jobId of the first answer that said so
 * @property {string[]} jobIds of every answer
 * @property {number} tries
 * @property {number} abandoned tries that the client broke off itself
 */

/** Answers after which the same is to be sent again. */
const again = new Set([409, 429, 503]);

export class Client {
  /** @type {Post[]} */ posts = [];
  /** What must never happen. @type {string[]} */ violations = [];
  answers = { accepted: 0, existing: 0, replayed: 0, refused: 0, broken: 0 };
  #platform;
  #random;
  #signal;

  /** @param {{ platform: import('./platform.mjs').Platform, random: import('./random.mjs').Random, signal: AbortSignal }} options */
  constructor({ platform, random, signal }) {
    this.#platform = platform;
    this.#random = random;
    this.#signal = signal;
  }

  /**
   * Posts until there is an answer.
   * @param {Record<string, unknown>} document
   * @returns {Promise<Post>}
   */
  async post(document) {
    const post = { key: crypto.randomUUID(), document, jobId: null, jobIds: [], tries: 0, abandoned: 0 };
    this.posts.push(post);
    await this.repeat(post);
    return post;
  }

  /**
   * The same request once more, until it is answered.
   * @param {Post} post
   */
  async repeat(post) {
    const known = post.jobIds.length;
    while (post.jobIds.length === known && !this.#signal.aborted) {
      await this.#try(post);
      if (post.jobIds.length === known) await delay(this.#random.between(100, 500));
    }
  }

  /** One try: it may be refused, or broken, by the platform or by the client itself. */
  async #try(post) {
    post.tries += 1;
    const isAbandoned = this.#random.chance(0.08);
    const patience = AbortSignal.timeout(isAbandoned ? this.#random.between(1, 60) : 30_000);
    if (isAbandoned) post.abandoned += 1;
    try {
      const response = await this.#send(this.#random.pick(this.#platform.doors), {
        method: 'POST',
        path: '/v1/documents',
        headers: { 'idempotency-key': post.key },
        body: post.document,
        signal: patience,
      });
      this.#note(post, response);
    } catch {
      this.answers.broken += 1;
    }
  }

  #note(post, { status, headers, body }) {
    if (status === 202 || status === 200) {
      this.answers[status === 202 ? 'accepted' : 'existing'] += 1;
      if (headers.get('idempotent-replayed') === 'true') this.answers.replayed += 1;
      else if (post.jobIds.length > 0) this.violations.push(`key ${post.key}: answered again as if it were new`);
      post.jobId ??= body.id;
      post.jobIds.push(body.id);
      return;
    }
    this.answers.refused += 1;
    if (!again.has(status)) this.violations.push(`a post was answered ${status}: ${JSON.stringify(body)}`);
    else if (!headers.get('retry-after')) this.violations.push(`a ${status} had no Retry-After`);
  }

  /**
   * @param {string} path
   * @param {unknown} [body] makes it a POST
   * @returns {Promise<{ status: number, headers: Headers, body: any }>} rejects when nobody answers
   */
  ask(path, body) {
    const signal = AbortSignal.timeout(30_000);
    const method = body === undefined ? 'GET' : 'POST';
    return this.#send(this.#platform.book.url, { method, path, headers: {}, body, signal });
  }

  async #send(door, { method, path, headers, body, signal }) {
    const response = await fetch(door + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#platform.book.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: await (isJson ? response.json() : response.text()),
    };
  }
}
