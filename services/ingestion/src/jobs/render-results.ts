// From stored results to the JSON that is shown. This module is also the program of the worker thread that does it with
// large ones, so it imports no other one of the service: run from source, a worker resolves only packages.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { renderResult, type OffsetTranslation } from '@anabranch/contracts';
import { cleanText, createOffsets } from '@anabranch/text';

/** The results of a job. */
export interface StoredResults {
  results: readonly StoredResult[];
  /** The text whose UTF-16 units are to be counted, as it is stored; null when offsets stay as they are. */
  text: string | Uint8Array | null;
}

/** A result from Postgres, or the bytes of one from the object store. */
export type StoredResult = { analysis: string } & ({ value: unknown } | { json: Uint8Array });

/** Results as JSON texts, in the order given; or the analysis whose result is no JSON, or does not fit the text. */
export type RenderedResults<T = string> = { rendered: { analysis: string; json: T }[] } | { unreadable: string };

/** Marks the worker data by which the module knows that it runs as the worker's program. */
export interface RenderWorkerData {
  toRender: StoredResults;
}

/** Takes seconds for tens of megabytes: see `result-renderer.ts`. */
export function renderResults({ results, text }: StoredResults): RenderedResults {
  const offsetOf = text === null ? undefined : utf16Offsets(text);
  const rendered: { analysis: string; json: string }[] = [];
  for (const { analysis, ...stored } of results) {
    try {
      // Whoever publishes results writes their objects: what is in them is not known to be JSON.
      const value = 'json' in stored ? (JSON.parse(decode(stored.json)) as unknown) : stored.value;
      rendered.push({ analysis, json: JSON.stringify(renderResult(analysis, value, offsetOf)) });
    } catch {
      // The engine's message is not passed on: it quotes the result.
      return { unreadable: analysis };
    }
  }
  return { rendered };
}

function utf16Offsets(text: string | Uint8Array): OffsetTranslation {
  // A claim check that came through Kafka may hold text that nobody has cleaned.
  const offsets = createOffsets(cleanText(typeof text === 'string' ? text : decode(text)));
  return (codePoint) => offsets.toUtf16(codePoint);
}

const decode = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('utf8');

if (!isMainThread && parentPort && isWorkerData(workerData)) answer(renderResults(workerData.toRender));

function isWorkerData(data: unknown): data is RenderWorkerData {
  return typeof data === 'object' && data !== null && 'toRender' in data;
}

/** As bytes, whose memory goes back with them. */
function answer(results: RenderedResults): void {
  if ('unreadable' in results) {
    parentPort?.postMessage(results);
    return;
  }
  const encoder = new TextEncoder();
  const rendered = results.rendered.map(({ analysis, json }) => ({ analysis, json: encoder.encode(json) }));
  const message: RenderedResults<Uint8Array> = { rendered };
  parentPort?.postMessage(
    message,
    rendered.map(({ json }) => json.buffer),
  );
}
