import { createHash } from 'node:crypto';
import type { Behaviour } from './behaviour.js';

type Slow = Omit<Extract<Behaviour, { kind: 'slow' }>, 'kind'>;

// Of the standard normal distribution.
const quantile95 = 1.6448536269514722;
const twoTo32 = 4_294_967_296;

/** A draw from the standard normal distribution that depends on the name alone (Box and Muller, 1958). */
const normalOf = (name: string): number => {
  const digest = createHash('sha256').update(name).digest();
  const [first, second] = [digest.readUInt32BE(0), digest.readUInt32BE(4)].map((bits) => (bits + 0.5) / twoTo32);
  return Math.sqrt(-2 * Math.log(first ?? 0.5)) * Math.cos(2 * Math.PI * (second ?? 0));
};

/** How long a call takes, log-normal: it depends on seed and request, not on the order in which calls come. */
export function slowDelayMs({ p50Ms, p95Ms, capMs, scale, seed }: Slow, request: string): number {
  const sigma = Math.log(p95Ms / p50Ms) / quantile95;
  const drawn = p50Ms * Math.exp(sigma * normalOf(`${seed}\n${request}`));
  return Math.min(capMs, drawn) * scale;
}
