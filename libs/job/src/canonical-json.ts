// Beyond it, the longer way of `sort` is the shorter one.
const mostSortedInPlace = 32;

/** How names are written. The first ones stay: those of schemas come long before clients could fill it with their own. */
const names = new Map<string, string>();
const mostNames = 1_000;
const longestName = 40;

/** What never changes, and its JSON. */
const constants = new WeakMap<object, string>();

/**
 * Says that an object and all in it never change: `canonicalJson` makes its JSON once, however many values it is a part of.
 * Throws what `canonicalJson` throws.
 */
export function asConstant<T extends object>(value: T): T {
  if (!constants.has(value)) constants.set(value, canonicalJson(value));
  return value;
}

/**
 * JSON in the one form of RFC 8785: sorted keys, no white space, ECMAScript numbers. Members that are `undefined` are left
 * out, as in JSON. Throws a TypeError for what JSON cannot say: NaN, infinity, a bigint, a lone surrogate, a function.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value === 'string') return canonicalString(value);
  if (Array.isArray(value)) return canonicalArray(value);
  if (typeof value === 'object') return canonicalObject(value);
  throw new TypeError(`JSON has no form for a ${typeof value}.`);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('JSON has no form for NaN or infinity.');
  // As JSON.stringify, which takes longer to say it.
  return String(value);
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('JSON of RFC 8785 has no form for a lone surrogate.');
  return JSON.stringify(value);
}

/** Most names are those of schemas, and come again and again. */
function canonicalName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const json = canonicalString(name);
  if (names.size < mostNames && name.length <= longestName) names.set(name, json);
  return json;
}

function canonicalArray(items: readonly unknown[]): string {
  let json = '';
  for (const item of items) json += `${json === '' ? '' : ','}${canonicalJson(item === undefined ? null : item)}`;
  return `[${json}]`;
}

/**
 * Sorts a few names in place; `sort` makes two lists of them each time. The default order of strings in JavaScript is by
 * UTF-16 code unit, as RFC 8785 §3.2.3 asks.
 */
function sorted(keys: string[]): string[] {
  if (keys.length > mostSortedInPlace) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] as string;
    let to = at;
    for (; to > 0 && (keys[to - 1] as string) > key; to--) keys[to] = keys[to - 1] as string;
    keys[to] = key;
  }
  return keys;
}

function canonicalObject(value: object): string {
  const known = constants.get(value);
  if (known !== undefined) return known;
  const members = value as Readonly<Record<string, unknown>>;
  let json = '';
  for (const key of sorted(Object.keys(value))) {
    const member = members[key];
    if (member !== undefined) json += `${json === '' ? '' : ','}${canonicalName(key)}:${canonicalJson(member)}`;
  }
  return `{${json}}`;
}
