// `npm run docs:results`: writes the examples of docs/results.md anew, from what the running platform answers over HTTP.
// With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const german = join(root, 'e2e/test/documents/languages/deu.txt');

const resultsPage = join(root, 'docs/results.md');

/**
 * The page with the examples that the platform gives now: under `## NAME` the result of the analysis NAME for the letter of
 * the page, and after that the examples of offsets and of a refusal.
 * @param {string} page the page as it is
 * @param {{ url: string, apiKey: string }} platform
 * @returns {Promise<string>}
 */
async function renewedPage(page, platform) {
  const [, letter] = /```text\n(.*?)\n```/s.exec(page) ?? [];
  const [, mail] = /```text\n([^\n]*@[^\n]*)\n```/.exec(page.slice(page.indexOf('## Offsets'))) ?? [];
  if (!letter || !mail) throw new Error('docs/results.md has no letter, or no text under Offsets.');
  const { results } = await resultOf(platform, letter);
  const refused = await resultOf(platform, readFileSync(german, 'utf8'), { analyses: 'summary' });
  const spans = [];
  for (const offsets of ['code-points', 'utf-16']) {
    const shown = await resultOf(platform, mail, { analyses: 'compliance', offsets });
    const { findings } = shown.results.compliance;
    spans.push({ offsets: shown.offsets, results: { compliance: { findings } } });
  }
  let renewed = page;
  for (const [name, result] of Object.entries(results)) renewed = withExamples(renewed, name, [result]);
  renewed = withExamples(renewed, 'Offsets', spans);
  const { finishedAt: _, ...receipt } = refused.receipt.analyses.summary;
  return withExamples(renewed, 'When there is no result', [{ summary: receipt }]);
}

/** Posts a text, and waits for its result. */
async function resultOf({ url, apiKey }, text, { offsets = 'code-points', ...options } = {}) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'text/plain; charset=utf-8' };
  const parameters = new URLSearchParams({ documentId: `results-page-${crypto.randomUUID()}`, ...options });
  const accepted = await fetch(`${url}/v1/documents?${parameters}`, { method: 'POST', headers, body: text });
  if (accepted.status !== 202)
    throw new Error(`POST /v1/documents answered ${accepted.status}: ${await accepted.text()}`);
  const { links } = await accepted.json();
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`${url}${links.result}?offsets=${offsets}`, { headers });
    if (response.status === 200) return response.json();
    if (response.status !== 409) throw new Error(`GET result answered ${response.status}: ${await response.text()}`);
    await new Promise((wake) => setTimeout(wake, 200));
  }
  throw new Error('The job did not settle within a minute.');
}

/** The page with the blocks of JSON under a heading replaced, in order. */
function withExamples(page, heading, values) {
  const begin = page.indexOf(`\n## ${heading}\n`);
  if (begin < 0) throw new Error(`docs/results.md has no heading "${heading}".`);
  const next = page.indexOf('\n## ', begin + 1);
  const end = next < 0 ? page.length : next;
  const left = [...values];
  const section = page
    .slice(begin, end)
    .replaceAll(/```json\n.*?\n```/gs, () => `\`\`\`json\n${formatted(left.shift())}\n\`\`\``);
  if (left.length > 0) throw new Error(`docs/results.md needs ${values.length} examples under "${heading}".`);
  return page.slice(0, begin) + section + page.slice(end);
}

/** JSON on as few lines as fit; the order of members is that of the value. `label` stands before it on its first line. */
function formatted(value, indent = '', label = '') {
  const line = label + inOneLine(value);
  if (indent.length + line.length <= 118 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value).map(([name, member]) => {
    return inner + formatted(member, inner, Array.isArray(value) ? '' : `${JSON.stringify(name)}: `);
  });
  return `${label}${open}\n${members.join(',\n')}\n${indent}${close}`;
}

function inOneLine(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inOneLine(member)}`);
  return `{${members.join(', ')}}`;
}

const state = process.env.ANABRANCH_STATE_DIR ?? join(root, '.anabranch');
const platform = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
const page = readFileSync(resultsPage, 'utf8');
const renewed = await renewedPage(page, platform);
if (renewed === page) console.log('docs/results.md shows what the platform answers.');
else if (process.argv.includes('--check')) {
  console.error(
    'docs/results.md shows other results than the platform answers: npm run docs:results writes them anew.',
  );
  process.exitCode = 1;
} else {
  writeFileSync(resultsPage, renewed);
  console.log('docs/results.md was written anew.');
}
