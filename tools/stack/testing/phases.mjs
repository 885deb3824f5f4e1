import { StackFault } from '../fault.mjs';
import { nothing, sum } from './tally.mjs';

/**
 * Runs named phases one after the other, each with its time, and sums what they counted. One that throws has failed.
 * @param {{ name: string, essential: boolean, run: () => Promise<import('./tally.mjs').Tally> }[]} phases essential: when
 *   it fails, the rest would say nothing and is not run
 * @param {{ isStopped?: () => boolean, say?: (text: unknown) => void }} [options]
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runPhases(phases, { isStopped = () => false, say = console.log } = {}) {
  let total = nothing;
  for (const { name, essential, run } of phases) {
    if (isStopped()) return sum([total, { passed: 0, failed: 1 }]);
    say(`\n▶ ${name}`);
    const startedAt = Date.now();
    const tally = await run().catch((error) => failed(error, say));
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    const counts = tally.passed + tally.failed > 0 ? `: ${tally.passed} passed and ${tally.failed} failed` : '';
    say(`${tally.failed > 0 ? '✗' : '✓'} ${name} (${seconds} s)${counts}`);
    total = sum([total, tally]);
    if (tally.failed > 0 && essential) return total;
  }
  return total;
}

/**
 * @param {unknown} error
 * @param {(text: unknown) => void} say
 */
function failed(error, say) {
  say(error instanceof StackFault ? error.message : error);
  return { passed: 0, failed: 1 };
}
