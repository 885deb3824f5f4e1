import { ensureArtifacts } from './artifacts.mjs';
import { buildSources } from './build.mjs';
import { installPackages, workspaceEnvironment } from './install.mjs';
import { requirePrerequisites } from './prerequisites.mjs';

/**
 * Everything that a machine needs before something can run; what is done already is not done again.
 * @param {import('../settings.mjs').Settings} settings
 * @param {{ say: (line: string) => void, build: boolean }} options
 * @returns {Promise<import('./java.mjs').Java>}
 */
export async function setUp(settings, { say, build }) {
  const env = settings.environment;
  const java = requirePrerequisites(settings, env);
  await Promise.all([
    installPackages(settings.root, { say, env, cacheDir: settings.cacheDir }),
    ensureArtifacts(settings.cacheDir, { say, env }),
  ]);
  if (build) await buildSources(settings.root, { say, env: workspaceEnvironment(settings.root, env) });
  return java;
}
