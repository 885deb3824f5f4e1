import { extname } from 'node:path';
import { Problem } from '../http/problem.js';
import { createOneOffWorkers } from '../one-off-worker.js';
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

// The program beside this module has this module's extension: .js when built, .ts when run from source.
const program = new URL(`./html-text${extname(import.meta.url)}`, import.meta.url);

/**
 * Long pages are read in a worker thread, one for each page: a parser of HTML takes seconds for megabytes, and hours for
 * a page made for that purpose, while other requests must go on.
 */
export function createHtmlReader(options: HtmlReaderOptions = {}): HtmlReader {
  const { inlineMaxLength = 65_536, timeoutMs = 30_000, maxWorkers = 2 } = options;
  const inWorker = createOneOffWorkers({ maxWorkers, timeoutMs, maxHeapMb: 768 });
  return async (html) => {
    try {
      if (html.length <= inlineMaxLength) return htmlToText(html);
      const workerData: HtmlWorkerData = { html };
      return await inWorker<string>(program, () => Promise.resolve({ workerData }));
    } catch (error) {
      throw new Problem(
        'UNREADABLE_HTML',
        'The HTML cannot be turned into text: it is nested too deeply, or too complex. Send its text as text/plain.',
        { cause: error },
      );
    }
  };
}
