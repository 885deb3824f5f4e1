import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './jest.base.js';

// One run over all projects. The kind of spec is chosen by its suffix: see tools/stack/commands/verify.mjs and test.mjs.
const folders = ['libs', 'services'].flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));

/** @type {import('jest').Config} */
export default {
  projects: [...folders, 'tools', 'e2e']
    .filter((folder) => existsSync(join(folder, 'test')))
    .map((folder) => ({ ...project(folder), rootDir: folder, testMatch: ['<rootDir>/test/**/*.spec.ts'] })),
};
