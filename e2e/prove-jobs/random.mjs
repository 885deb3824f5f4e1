// Numbers that depend on a seed alone (mulberry32), so that a run can be told again.

/**
 * @typedef {object} Random
 * @property {() => number} next from 0 to 1, exclusive
 * @property {(share: number) => boolean} chance true for this share of the draws
 * @property {(low: number, high: number) => number} between whole, both inclusive
 * @property {<T>(values: readonly T[]) => T} pick
 */

/**
 * @param {string} seed
 * @returns {Random}
 */
export function createRandom(seed) {
  let state = [...seed].reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    2_166_136_261,
  );
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low, high) => low + Math.floor(next() * (high - low + 1));
  return { next, between, chance: (share) => next() < share, pick: (values) => values[between(0, values.length - 1)] };
}
