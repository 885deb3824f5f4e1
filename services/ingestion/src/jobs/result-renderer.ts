import { extname } from 'node:path';
import { createOneOffWorkers } from '../one-off-worker.js';
import { renderResults, type RenderedResults, type RenderWorkerData, type StoredResults } from './render-results.js';

interface RendererOptions {
  /** Results and text that have together up to so many bytes are worked at once, on the calling thread. */
  inlineMaxBytes?: number;
  timeoutMs?: number;
  maxWorkers?: number;
}

/** What a request asks for: how much there is, and how to get it when its turn has come. */
export interface RenderRequest {
  /** Of results and text together, as announced. */
  bytes: number;
  read(): Promise<StoredResults>;
}

/** Renders the results of one job. Throws what `read` throws, and an Error when the limits of a worker are not enough. */
export type ResultRenderer = (request: RenderRequest) => Promise<RenderedResults<string | Uint8Array>>;

// The program beside this module has this module's extension: .js when built, .ts when run from source.
const program = new URL(`./render-results${extname(import.meta.url)}`, import.meta.url);

/** Large results are rendered in a worker thread: to parse megabytes, count their text and write them again takes long. */
export function createResultRenderer(options: RendererOptions = {}): ResultRenderer {
  const { inlineMaxBytes = 524_288, timeoutMs = 60_000, maxWorkers = 2 } = options;
  const inWorker = createOneOffWorkers({ maxWorkers, timeoutMs, maxHeapMb: 768 });
  return async ({ bytes, read }) => {
    if (bytes <= inlineMaxBytes) return renderResults(await read());
    return inWorker<RenderedResults<Uint8Array>>(program, async () => {
      const toRender = await read();
      const workerData: RenderWorkerData = { toRender };
      return { workerData, transferList: ownMemory(toRender) };
    });
  };
}

/** The memory of bytes that nobody else uses. */
function ownMemory({ results, text }: StoredResults): ArrayBuffer[] {
  const all = [text, ...results.map((result) => ('json' in result ? result.json : null))];
  return all.flatMap((bytes) => {
    if (bytes === null || typeof bytes === 'string' || !(bytes.buffer instanceof ArrayBuffer)) return [];
    return bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
  });
}
