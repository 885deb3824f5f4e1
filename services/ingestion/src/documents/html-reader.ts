import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Problem } from '../http/problem.js';
import { htmlToText, type HtmlWorkerData } from './html-text.js';

interface HtmlReaderOptions {
  /** Pages up to this length, in UTF-16 units, are read at once on the calling thread. */
  inlineMaxLength?: number;
  /** How long a worker may take for one page. */
  timeoutMs?: number;
  /** Pages that are read at the same time; the others wait. */
  maxWorkers?: number;
}

/** Turns HTML into text. Throws the problem UNREADABLE_HTML for pages that cannot be read with bounded means. */
export type HtmlReader = (html: string) => Promise<string>;

/**
 * Long pages are read in a worker thread, one for each page: a parser of HTML takes seconds for megabytes, and hours for
 * a page made for that purpose, while other requests must go on.
 */
export function createHtmlReader(options: HtmlReaderOptions = {}): HtmlReader {
  const { inlineMaxLength = 65_536, timeoutMs = 30_000, maxWorkers = 2 } = options;
  const slots = createSlots(maxWorkers);
  return async (html) => {
    try {
      return html.length <= inlineMaxLength ? htmlToText(html) : await slots(() => readInWorker(html, timeoutMs));
    } catch (error) {
      throw new Problem(
        'UNREADABLE_HTML',
        'The HTML cannot be turned into text: it is nested too deeply, or too complex. Send its text as text/plain.',
        { cause: error },
      );
    }
  };
}

async function readInWorker(html: string, timeoutMs: number): Promise<string> {
  // The program beside this module has this module's extension: .js when built, .ts when run from source.
  const program = new URL(`./html-text${extname(import.meta.url)}`, import.meta.url);
  const workerData: HtmlWorkerData = { html };
  const worker = new Worker(program, { workerData, resourceLimits: { maxOldGenerationSizeMb: 768 } });
  // An error after the time-out, while the worker is being ended, interests nobody; unheard, it would end the process.
  worker.on('error', () => undefined);
  try {
    // `once` rejects when the worker emits an error: what the parser threw, or the end of its memory.
    const [text] = (await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [string];
    return text;
  } finally {
    await worker.terminate();
  }
}

function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
