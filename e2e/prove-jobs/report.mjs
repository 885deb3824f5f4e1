// How a run is told: on the console, and as a page.
const shown = 10;

function countsOf({ client, load, jobs, enriched, calls, faults }) {
  const states = {};
  for (const { job } of jobs.values()) states[job?.state] = (states[job?.state] ?? 0) + 1;
  const kinds = {};
  for (const { kind, target } of faults) {
    const name = kind === 'kill' || kind === 'freeze' ? kind : `${kind} ${target}`;
    kinds[name] = (kinds[name] ?? 0) + 1;
  }
  const keys = new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size;
  const killed = new Set(faults.filter(({ kind }) => kind === 'kill').map(({ target }) => target));
  return {
    posts: client.posts.length,
    tries: client.posts.reduce((sum, { tries }) => sum + tries, 0),
    answers: client.answers,
    jobs: jobs.size,
    states,
    'further runs': load.runs.length,
    'events of document.enriched': enriched.length,
    calls: calls.length,
    'different operations': keys,
    faults: kinds,
    'processes killed': [...killed].toSorted((a, b) => a.localeCompare(b, 'en')),
  };
}

/** @returns {string[]} */
export function summaryOf(facts, evidence, verdicts) {
  const lines = [JSON.stringify({ ...facts, ...countsOf(evidence) })];
  for (const { name, looked, faults } of verdicts) {
    lines.push(`${faults.length === 0 ? 'true  ' : 'FALSE '} ${name} (${looked} looked at)`);
    for (const fault of faults.slice(0, shown)) lines.push(`         ${fault}`);
    if (faults.length > shown) lines.push(`         and ${faults.length - shown} more`);
  }
  return lines;
}

const heading = `# Jobs under faults

Written by \`npm run prove:jobs\`, a section for each run: a platform of its own, with a stub in place of the language model,
further members of three services behind a proxy that cuts connections at commits, and clients that note what they were told.
What is done to it and what is compared in the end: [running](../running.md#seen-from-outside).
`;

/**
 * @param {string} before the page as it is, if there is one
 * @returns {string} Markdown, with a section for this run
 */
export function reportOf(facts, evidence, verdicts, before = '') {
  const rows = Object.entries({ ...facts, ...countsOf(evidence) }).map(
    ([name, value]) => `| ${name} | ${told(value)} |`,
  );
  const checks = verdicts.map(({ name, looked, faults }) => `| ${name} | ${looked} | ${faults.length} |`);
  return `${before || heading}
## Seed ${facts.seed}

- **${new Date().toISOString()}**

| | |
|---|---|
${rows.join('\n')}

| what must be true | looked at | found false |
|---|---|---|
${checks.join('\n')}
`;
}

function told(value) {
  if (typeof value === 'number') return String(Math.round(value));
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
