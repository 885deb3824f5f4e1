// `npm run prove:foreign-client`: Confluent's Python client against the running platform (start it first: npm start).
// Needs Python ≥ 3.9; installs the client into a virtual environment below the state folder.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { partitionOf } from '@anabranch/contracts';

const here = import.meta.dirname;
const state = process.env.ANABRANCH_STATE_DIR ?? resolve(here, '../../.anabranch');
const book = join(state, 'local.json');
if (!existsSync(book)) fail('no platform is running here: start it with `npm start`, then run this again');

const python = join(state, 'foreign-client', 'bin', 'python');
if (!existsSync(python)) {
  console.log('installing the Python client …');
  execFileSync('python3', ['-m', 'venv', join(state, 'foreign-client')], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '-r', join(here, 'requirements.txt')], { stdio: 'inherit' });
}

const output = execFileSync(python, [join(here, 'foreign_client.py'), book], { maxBuffer: 1 << 26, encoding: 'utf8' });
const { published, enriched, placements } = JSON.parse(output);
const complete = enriched.filter(
  (each) => each.state === 'COMPLETE' && each.outcomes.every(([, status]) => status === 'DONE'),
);
const misplaced = placements.filter(([key, partition]) => partitionOf(key, 8) !== partition);

console.log(`published ${published}, enriched ${enriched.length}, of these complete ${complete.length}`);
console.log(`analyses per document: ${[...new Set(enriched.map((each) => each.outcomes.length))].join(', ')}`);
console.log(`keys placed by librdkafka ${placements.length}, on another partition than ours ${misplaced.length}`);
if (complete.length !== published || placements.length !== 1000 || misplaced.length > 0)
  fail('the foreign client saw something else than it should have');
console.log('foreign client: passed');

function fail(message) {
  console.error(message);
  process.exit(1);
}
