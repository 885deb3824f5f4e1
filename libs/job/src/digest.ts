import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { Outcome, OutcomeStatus } from './outcome.js';

// Two steps, so that a job can be settled without reading its results again: each outcome is digested when it arrives,
// and the result's digest is over the digests of its outcomes.

/** Everything of an outcome that a reader of the result may rely on. */
export interface OutcomeContent {
  status: OutcomeStatus;
  code: string | null;
  /** Name and version of the result's schema. */
  resultSchema: string;
  promptVersion: string | null;
  /** The result, when it is inline. */
  result: unknown;
  /** SHA-256 of the stored bytes, when the result is a claim check. */
  resultSha256: string | null;
}

/** Digest of one outcome: `sha256:` and hex, over the canonical JSON (RFC 8785) of its content. */
export function outcomeDigest(content: OutcomeContent): string {
  const { status, code, resultSchema, promptVersion, result, resultSha256 } = content;
  return digestOf({ status, code, resultSchema, promptVersion, result: result ?? null, resultSha256 });
}

/**
 * Digest of a job's result: `sha256:` and hex, over the canonical JSON of the revision and of the digest of each
 * analysis' effective outcome. Runs are not part of it: a re-run that says the same leaves the digest as it was.
 */
export function resultDigest(revision: number, effective: readonly Outcome[]): string {
  const outcomes = Object.fromEntries(effective.map(({ analysis, digest }) => [analysis, digest]));
  return digestOf({ revision, outcomes });
}

function digestOf(value: unknown): string {
  return `sha256:${hash('sha256', canonicalJson(value))}`;
}
