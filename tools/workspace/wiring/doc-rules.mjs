/** @typedef {import('./workspace.mjs').Workspace} Workspace */

const folder = 'docs/adr';

/** A decision that no list names is not found. @type {(workspace: Workspace) => string[]} */
export function decisionFaults({ files, read }) {
  const index = files.includes(`${folder}/README.md`) ? read(`${folder}/README.md`) : '';
  const listed = [...index.matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, file]) => file ?? '');
  const decisions = files.flatMap((path) => /^docs\/adr\/(\d{4}-.+\.md)$/.exec(path)?.[1] ?? []);
  const missing = decisions.filter((file) => !index.includes(`- [${titleOf(read(`${folder}/${file}`))}](${file})`));
  const gone = listed.filter((file) => !decisions.includes(file));
  return [
    ...missing.map((file) => `${folder}/README.md: list ${file} by its title, as "- [N. Title](${file})"`),
    ...gone.map((file) => `${folder}/README.md: remove ${file}, which does not exist`),
  ];
}

/** @param {string} text */
function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
