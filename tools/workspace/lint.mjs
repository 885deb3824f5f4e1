// Lints the tree and, in the same run, the canaries: node tools/workspace/lint.mjs
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { canaries } from './canaries.mjs';
import { placeCanaries } from './place-canaries.mjs';
import { listProjects, repositoryRoot } from './projects.mjs';

/**
 * @typedef {object} Diagnostic
 * @property {string} [code] the rule; none for a syntax error
 * @property {string} message
 * @property {string} filename relative to the root
 * @property {string} [help]
 * @property {{ span: { line: number, column: number } }[]} labels
 */

/**
 * What a canary's diagnostics say against it, or nothing when lint held.
 * @param {import('./canaries.mjs').Canary} canary
 * @param {readonly Diagnostic[]} diagnostics those of its file
 * @returns {string | undefined}
 */
export function canaryFault({ rule, message }, diagnostics) {
  const reported = diagnostics.map((diagnostic) => `${diagnostic.code}: ${diagnostic.message}`).join('; ') || 'nothing';
  if (rule === null) return diagnostics.length === 0 ? undefined : `is allowed, but lint reported ${reported}`;
  const held = diagnostics.some((diagnostic) => diagnostic.code === rule && diagnostic.message.startsWith(message));
  return held ? undefined : `should report ${rule}: ${message}…, but reported ${reported}`;
}

/**
 * Nx's boundary rule reads a cached project graph and checks nothing without it, or for projects missing from it.
 * Asking Nx for the projects brings the cache up to date.
 */
async function refreshProjectGraph() {
  const { stdout } = await run(join(repositoryRoot, 'node_modules/nx/dist/bin/nx.js'), ['show', 'projects', '--json']);
  const shown = new Set(JSON.parse(stdout));
  const missing = listProjects().filter(({ name }) => !shown.has(name));
  if (missing.length === 0 && shown.size > 0) return;
  throw new Error(
    `Nx's project graph lacks ${missing.map(({ name }) => name).join(', ') || 'every project'}, so the boundary rule would ` +
      'not check them: run node_modules/.bin/nx reset, and see that each is in a workspace folder of package.json',
  );
}

/**
 * @param {readonly string[]} paths
 * @returns {Promise<Diagnostic[]>}
 */
async function oxlint(paths) {
  const program = join(repositoryRoot, 'node_modules/oxlint/bin/oxlint');
  const { stdout, stderr } = await run(program, ['--format=json', '.', ...paths]);
  try {
    // Nx's rule warns on standard output when it skips itself; then there is no JSON, and that is a failure.
    return JSON.parse(stdout).diagnostics;
  } catch (cause) {
    throw new Error(`oxlint did not lint:\n${stdout.slice(0, 2_000)}${stderr}`, { cause });
  }
}

/**
 * @param {string} program a Node program
 * @param {readonly string[]} args
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
function run(program, args) {
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
  const child = spawn(process.execPath, [program, ...args], {
    cwd: repositoryRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ stdout, stderr }));
  });
}

/** @param {Diagnostic} diagnostic */
function describe({ filename, labels, code, message, help }) {
  const { line, column } = labels[0]?.span ?? { line: 1, column: 1 };
  return `${filename}:${line}:${column}  ${code ?? 'syntax'}\n  ${message}${help ? `\n  ${help}` : ''}`;
}

async function main() {
  await refreshProjectGraph();
  const { paths, remove } = placeCanaries(canaries);
  const diagnostics = await oxlint(paths).finally(remove);
  const faults = canaries.flatMap((canary, index) => {
    const fault = canaryFault(
      canary,
      diagnostics.filter(({ filename }) => filename === paths[index]),
    );
    return fault ? [`canary "${canary.name}" (${canary.project}) ${fault}`] : [];
  });
  const findings = diagnostics.filter(({ filename }) => !paths.includes(filename));
  for (const finding of findings) console.error(describe(finding));
  for (const fault of faults) console.error(fault);
  console.log(`lint: ${findings.length} findings`);
  console.log(`canaries: ${canaries.length - faults.length} passed, ${faults.length} failed`);
  process.exitCode = findings.length + faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
