import { type AnalysisWorker, createAnalysisWorker } from '../worker/analysis-worker.js';
import type { WorkerOptions } from '../worker/lazy-thread.js';

const isSource = import.meta.url.endsWith('.ts');
const sourceOptions = (): WorkerOptions => ({
  entry: new URL('../worker/worker-thread.ts', import.meta.url),
  execArgv: [
    '--conditions=@anabranch/source',
    '--disable-warning=ExperimentalWarning',
    `--import=${new URL('./source-hooks.ts', import.meta.url).href}`,
  ],
});

/** A worker that runs what the specs run: source in Jest, else what was built. */
export function createTestWorker(options: WorkerOptions = {}): AnalysisWorker {
  return createAnalysisWorker({ ...(isSource ? sourceOptions() : {}), ...options });
}
