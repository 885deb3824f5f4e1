// The test of the simulation: node tools/mutants/run.mjs. Fails when a mutant survives, when a patch no longer applies, or
// when the source as it is fails. `--help` says more.
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readOptions } from '../command-line.mjs';
import { mutants } from './mutants.mjs';
import { play } from './play.mjs';
import { describeVerdict, isKilled, renderReport, tableHead } from './report.mjs';
import { applyMutant, makeWorkCopy, patchFaults } from './work-copy.mjs';

const usage = `node tools/mutants/run.mjs [--only TEXT] [--seeds N,N,N] [--schedules 3000] [--baseline N] [--report FILE]

Breaks the consumer in one place after the other and plays the simulation: each of these mutants has to be found out.

  --only TEXT       those whose names have this in them
  --seeds N,N,N     of the schedules; three of their own otherwise
  --schedules 3000  so many for each mutant and seed
  --baseline N      so many, over all seeds, for the source as it is: at least as many as for a mutant
  --report FILE     writes a page about it when all were found out`;

const values = await readOptions({
  usage,
  numbers: ['schedules', 'baseline'],
  options: {
    only: { type: 'string', default: '' },
    seeds: { type: 'string' },
    schedules: { type: 'string', default: '3000' },
    baseline: { type: 'string' },
    report: { type: 'string' },
  },
});
const schedules = Number(values.schedules);
const seeds = values.seeds?.split(',').map(Number) ?? [0, 0, 0].map(() => randomInt(1, 2 ** 31));

/**
 * The source as it is has to hold in all that mutants are played in; otherwise what breaks by itself would count as a kill.
 * @param {string} folder
 */
async function playBaseline(folder) {
  const plays = [];
  const each = Math.max(schedules, Math.ceil(Number(values.baseline ?? 0) / seeds.length));
  for (const seed of seeds) plays.push(await play(folder, { schedules: each, seed }));
  const failed = plays.find(({ failure }) => failure !== undefined);
  if (failed === undefined) return plays;
  throw new Error(
    `the source as it is fails: ${JSON.stringify(failed.failure?.violations)}\n` +
      `replay: ANABRANCH_SIM_SEED=${failed.seed} ANABRANCH_SIM_PATH=${failed.failure?.path} npm run simulate`,
  );
}

/**
 * @param {import('./faults/edit.mjs').Mutant} mutant
 * @param {{ folder: string, source: string }} copy
 * @returns {Promise<import('./report.mjs').Verdict>}
 */
async function judge(mutant, { folder, source }) {
  const { name } = mutant;
  const [fault] = patchFaults(mutant, source);
  if (fault !== undefined) return { name, plays: [], fault };
  const restore = applyMutant(mutant, source);
  try {
    const plays = [];
    for (const seed of seeds) plays.push(await play(folder, { schedules, seed }));
    return { name, plays };
  } finally {
    restore();
  }
}

async function main() {
  const chosen = mutants.filter(({ name }) => name.includes(values.only));
  if (chosen.length === 0) throw new Error(`there is no mutant whose name contains "${values.only}"`);
  const { folder, remove } = makeWorkCopy();
  try {
    const baseline = await playBaseline(folder);
    const counted = baseline.reduce((sum, report) => sum + report.schedules, 0);
    console.log(`The source as it is: ${counted} schedules, no promise broken.\n\n${tableHead}`);
    const verdicts = [];
    for (const mutant of chosen) {
      const verdict = await judge(mutant, { folder, source: join(folder, 'libs/kafka/src') });
      verdicts.push(verdict);
      console.log(describeVerdict(verdict));
    }
    const survivors = verdicts.filter((verdict) => !isKilled(verdict));
    console.log(`\n${verdicts.length - survivors.length} of ${verdicts.length} mutants killed.`);
    for (const { name, fault } of survivors) console.error(fault ?? `"${name}" survived`);
    process.exitCode = survivors.length > 0 ? 1 : 0;
    if (values.report !== undefined && survivors.length === 0) {
      mkdirSync(dirname(values.report), { recursive: true });
      writeFileSync(values.report, renderReport({ date: new Date().toISOString(), baseline, verdicts, schedules }));
    }
  } finally {
    remove();
  }
}

await main();
