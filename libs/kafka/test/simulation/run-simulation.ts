// One run of the simulation as a program: says on standard output, as JSON, what came of it.
import { explore } from './explore.js';

const { ANABRANCH_SIM_SCHEDULES, ANABRANCH_SIM_SEED, ANABRANCH_SIM_PATH, ANABRANCH_SIM_SHRINK } = process.env;
const report = await explore({
  schedules: Number(ANABRANCH_SIM_SCHEDULES ?? 1_000),
  seed: ANABRANCH_SIM_SEED === undefined ? undefined : Number(ANABRANCH_SIM_SEED),
  path: ANABRANCH_SIM_PATH,
  shrinkMs: Number(ANABRANCH_SIM_SHRINK ?? 0),
});
process.stdout.write(`${JSON.stringify(report)}\n`);
