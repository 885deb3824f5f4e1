import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** What a launcher needs to know about a process that is ready. */
export interface ReadyReport {
  pid: number;
  services: readonly string[];
  healthPort: number;
  httpPort?: number;
}

/** Written whole or not at all: a launcher may read it at any moment. */
export function writeReadyFile(path: string, report: ReadyReport): void {
  const unfinished = `${path}.${report.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(report)}\n`);
  renameSync(unfinished, path);
}

export function removeReadyFile(path: string): void {
  rmSync(path, { force: true });
}
