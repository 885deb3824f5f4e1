// `npm run prove:dashboard`: a real Prometheus (on PATH; Debian: apt-get install prometheus) scrapes the running platform,
// and every query of every dashboard must answer with at least one series. Needs documents flowing: post a few first.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const book = JSON.parse(
  readFileSync(join(process.env.ANABRANCH_STATE_DIR ?? join(root, '.anabranch'), 'local.json'), 'utf8'),
);
const port = Number(process.env.PROMETHEUS_PORT ?? 19090);
const folder = mkdtempSync(join(tmpdir(), 'anabranch-prometheus-'));
const targets = book.processes.filter((each) => each.metricsUrl).map((each) => new URL(each.metricsUrl).host);
writeFileSync(
  join(folder, 'prometheus.yml'),
  `global: { scrape_interval: 1s }\nscrape_configs:\n  - job_name: anabranch\n    static_configs: [{ targets: ${JSON.stringify(targets)} }]\n`,
);
const options = [
  `--config.file=${folder}/prometheus.yml`,
  `--storage.tsdb.path=${folder}/data`,
  `--web.listen-address=127.0.0.1:${port}`,
];
const prometheus = spawn('prometheus', options, { stdio: 'ignore' });
prometheus.on('error', (error) =>
  finish(1, `prometheus does not start (${error.message}): install it, it must be on PATH`),
);

const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));
async function ask(expr) {
  const now = Date.now() / 1000;
  const body = new URLSearchParams({ query: expr, start: String(now - 10), end: String(now), step: '1' });
  const answer = await (await fetch(`http://127.0.0.1:${port}/api/v1/query_range`, { method: 'POST', body })).json();
  if (answer.status !== 'success') throw new Error(answer.error);
  return answer.data.result.filter((series) => series.values.some(([, value]) => value !== 'NaN')).length;
}

async function post(number) {
  const headers = { authorization: `Bearer ${book.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ text: `Document ${number} for the dashboard. It is good. ${crypto.randomUUID()}` });
  const response = await fetch(`${book.url}/v1/documents`, { method: 'POST', headers, body });
  if (response.status !== 202) throw new Error(`POST /v1/documents answered ${response.status}`);
}

for (let second = 0; second < 12; second++) {
  await post(second);
  await pause(1000);
}
let asked = 0;
const faults = [];
for (const name of readdirSync(join(root, 'deploy/grafana/dashboards'))) {
  const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana/dashboards', name), 'utf8'));
  for (const { title, expr } of panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr }) => ({ title: panel.title, expr })),
  )) {
    asked++;
    const count = await ask(expr.replaceAll('$__rate_interval', '10s')).catch((error) => error.message);
    console.log(`${typeof count === 'number' && count > 0 ? 'ok   ' : 'FAULT'} ${title}: ${count} series`);
    if (typeof count !== 'number' || count === 0) faults.push(title);
  }
}
finish(asked > 0 && faults.length === 0 ? 0 : 1, `${asked} queries, ${faults.length} without an answer`);

function finish(code, message) {
  console.log(message);
  prometheus.kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
