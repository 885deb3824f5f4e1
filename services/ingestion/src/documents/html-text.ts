// HTML to text. This module is also the program of the worker thread that reads long pages, so it imports no other one of
// ours: run from source, a worker resolves only packages.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { compile, type DomNode, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';

const unseen = ['head', 'script', 'style', 'noscript', 'template', 'iframe', 'object', 'svg', 'math', 'img'];
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const row: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 });
  // Only cells: the white space between them is no text.
  walk(
    element.children.filter(({ type }) => type === 'tag'),
    builder,
  );
  builder.closeBlock({ trailingLineBreaks: 1 });
};

const cell: FormatCallback = (element, walk, builder) => {
  if (isAfterElement(element)) builder.addLiteral('\t');
  walk(element.children, builder);
};

/** The library's types leave out the link to the node before. */
type LinkedNode = DomNode & { prev?: LinkedNode | null };

function isAfterElement(element: LinkedNode): boolean {
  let before = element.prev;
  while (before && before.type !== 'tag') before = before.prev;
  return Boolean(before);
}

const options: HtmlToTextOptions = {
  wordwrap: false,
  // The library would cut longer input silently; the API has already limited it.
  limits: { maxInputLength: undefined },
  // The library's own table format takes minutes for a long table.
  formatters: { row, cell },
  selectors: [
    ...unseen.map((selector) => ({ selector, format: 'skip' })),
    ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
    ...['table', 'hr'].map((selector) => ({ selector, format: 'block' })),
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    { selector: 'tr', format: 'row' },
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
  ],
};

/**
 * The text that a reader of the page sees: no scripts, styles, comments, pictures or link targets; a line per table row.
 * Throws a RangeError when elements are nested thousands deep. Takes seconds for megabytes: see `html-reader.ts`.
 */
export const htmlToText: (html: string) => string = compile(options);

/** Marks the worker data by which the module knows that it runs as the worker's program. */
export interface HtmlWorkerData {
  html: string;
}

if (!isMainThread && parentPort && isWorkerData(workerData)) parentPort.postMessage(htmlToText(workerData.html));

function isWorkerData(data: unknown): data is HtmlWorkerData {
  return typeof data === 'object' && data !== null && 'html' in data && typeof data.html === 'string';
}
