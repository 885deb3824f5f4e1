/** Of a text's first windows there is one for so much of it, in units of the source. */
const lengthPerWindow = 800;
const maxWindows = 6;
/** Longest window. A detector reads the first 350 bytes of each, and would only prepare what is more. */
const windowLength = 400;
// A word of a Latin script needs several letters for what others say in one or two.
const weightOfOtherScripts = 3;
const minWindowWeight = 12;
const minWeight = 40;

const format = /\p{Cf}/gu;
// Addresses are in no language. Their own characters only: scripts without spaces go on right beside them.
const address = /[\w.%+'-]{1,64}@[\w.-]{1,200}|(?:https?:\/\/|www\.)[\x21-\x7e]{1,200}/g;
const letter = /\p{L}/gu;
const latinLetter = /\p{Script=Latin}/gu;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** ASCII, and nothing of it that a text has no use for. */
const isPlain = (text: string): boolean => !/[^\t\n\r -~]/.test(text);

/** Most texts are mostly of these, and no pattern and no list of matches is as cheap as one look at each. */
const asciiLetters = (text: string): number => {
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const lower = text.charCodeAt(at) | 0x20;
    if (lower >= 0x61 && lower <= 0x7a) letters++;
  }
  return letters;
};

const weightOf = (window: string): number => {
  if (isPlain(window)) return asciiLetters(window);
  const letters = countOf(window, letter);
  const latin = Math.min(letters, countOf(window, latinLetter));
  return latin + weightOfOtherScripts * (letters - latin);
};

const decode = (source: string | Uint8Array, begin: number, end: number): string => {
  if (typeof source === 'string') return source.slice(begin, end).toWellFormed();
  return Buffer.from(source.buffer, source.byteOffset + begin, Math.min(end, source.length) - begin).toString('utf8');
};

const mayHaveAddress = (text: string): boolean => text.includes('@') || text.includes('http') || text.includes('www.');

/** Begins at a word, when there is one in reach, so that no window begins in the middle of one. */
const windowAt = (source: string | Uint8Array, begin: number): string => {
  const piece = decode(source, begin, begin + windowLength);
  const firstSpace = begin === 0 ? 0 : Math.max(0, piece.slice(0, 40).search(/\s/));
  const words = piece.slice(firstSpace);
  const named = mayHaveAddress(words) ? words.replace(address, ' ') : words;
  if (isPlain(named)) return named;
  // Detectors know composed letters only, and invisible characters would part words.
  return piece.slice(firstSpace).replace(format, '').replace(address, ' ').normalize('NFC');
};

/** A text that one window does not hold has two at least, so that its end is seen. */
const windowsFor = (length: number): number =>
  length <= lengthPerWindow ? Math.ceil(length / windowLength) : Math.ceil(length / lengthPerWindow);

/**
 * Pieces of a text that show its language, taken evenly from its begin to its end, however long it is. Empty when there
 * are too few letters to tell (about 40; a third of that in scripts other than Latin).
 * @param source the text, or its bytes in UTF-8, which need not be decoded for it
 */
export function languageWindows(source: string | Uint8Array): string[] {
  const count = Math.min(maxWindows, windowsFor(source.length));
  const stride = count > 1 ? (source.length - windowLength) / (count - 1) : 0;
  const windows = Array.from({ length: count }, (_, index) => windowAt(source, Math.floor(index * stride)));
  const weighed = windows.map((window) => ({ window, weight: weightOf(window) }));
  if (weighed.reduce((sum, { weight }) => sum + weight, 0) < minWeight) return [];
  return weighed.filter(({ weight }) => weight >= minWindowWeight).map(({ window }) => window);
}
