// What of a process's output is worth a line on the console. Everything is in its file.
const shownLevels = new Set(['warn', 'error', 'fatal']);
// Plain text: a crash, or what Kafka, the registry and PostgreSQL call an error. Their warnings speak of themselves.
const shownText = /\b(ERROR|FATAL|PANIC)\b|(Error|Exception)\b/;
const fieldMaxCharacters = 120;
const hiddenFields = new Set(['time', 'level', 'msg', 'service', 'pid', 'hostname']);

/**
 * @param {string} line as the process wrote it: JSON of a service, or plain text
 * @param {{ verbose: boolean }} options
 * @returns {{ text: string, kind: string } | null} kind: the same for lines that differ only in their values; null = not
 *   shown
 */
export function consoleLine(line, { verbose }) {
  const record = parseRecord(line);
  if (record === null) return plainLine(line, verbose);
  if (!verbose && !shownLevels.has(record.level)) return null;
  const time = String(record.time ?? '').slice(11, 19);
  const fields = Object.entries(record).filter(([key]) => !hiddenFields.has(key));
  const text = [time, record.level, record.msg, ...fields.map(describeField)].filter(Boolean).join(' ');
  return { text, kind: withoutNumbers(`${record.level} ${record.msg} ${record.code ?? ''}`) };
}

/**
 * @param {string} line
 * @param {boolean} verbose
 */
function plainLine(line, verbose) {
  const isShown = line.trim() !== '' && (verbose || shownText.test(line));
  return isShown ? { text: line, kind: withoutNumbers(line) } : null;
}

/** @param {string} text */
function withoutNumbers(text) {
  return text.replaceAll(/\d+/g, '#');
}

/** @param {string} line */
function parseRecord(line) {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** @param {[string, unknown]} field */
function describeField([key, value]) {
  const text = isError(value)
    ? `${value.type}: ${value.message}`
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
  return `${key}=${text.length > fieldMaxCharacters ? `${text.slice(0, fieldMaxCharacters - 1)}…` : text}`;
}

/**
 * @param {unknown} value
 * @returns {value is { type: string, message: string }}
 */
function isError(value) {
  return typeof value === 'object' && value !== null && 'message' in value && 'type' in value;
}
