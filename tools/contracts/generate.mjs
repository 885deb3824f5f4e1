import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderEvents } from './render-events.mjs';
import { renderSensitivity } from './render-sensitivity.mjs';
import { renderTopics } from './render-topics.mjs';

const folder = 'libs/contracts/src/generated';
const head = '// Made of schemas/ by `node tools/contracts/cli.mjs generate`. Do not edit.\n\n';

/** The generated files, by path from the repository's root. A pure function of the sources. */
export function render(topics) {
  return new Map([
    [`${folder}/events.generated.ts`, head + renderEvents(topics)],
    [`${folder}/topics.generated.ts`, head + renderTopics(topics)],
    [`${folder}/sensitivity.generated.ts`, head + renderSensitivity(topics)],
  ]);
}

/** Writes the files that differ. @returns {string[]} their paths */
export function writeGenerated(root, topics) {
  const stale = staleFiles(root, topics);
  const files = render(topics);
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path));
  }
  return stale;
}

/** The generated files that are not what the sources say. */
export function staleFiles(root, topics) {
  return [...render(topics)].filter(([path, text]) => contentOf(join(root, path)) !== text).map(([path]) => path);
}

function contentOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
