import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Played } from './play.js';

interface Line {
  readonly index: number;
  readonly played: Played;
}

/** The schedules of one seed that were played: in a file, if there is one, so that a run which was broken off goes on. */
export class Progress {
  readonly played = new Map<number, Played>();

  private constructor(
    readonly seed: number,
    private readonly path: string | undefined,
  ) {}

  /** @param choose the seed, unless the file is of a run that was broken off */
  static open(path: string | undefined, choose: () => number): Progress {
    if (path === undefined || !existsSync(path)) return Progress.begin(path, choose());
    // What was written last may be half a line.
    const [head = '', ...lines] = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const progress = new Progress((JSON.parse(head) as { seed: number }).seed, path);
    for (const { index, played } of lines.map((line) => JSON.parse(line) as Line)) progress.played.set(index, played);
    return progress;
  }

  note(index: number, played: Played, of: number): void {
    this.played.set(index, played);
    if (this.path === undefined) return;
    appendFileSync(this.path, `${JSON.stringify({ index, played } satisfies Line)}\n`);
    const { seed } = this;
    process.stderr.write(`seed ${seed}: ${this.played.size} of ${of} schedules, ${played.breaches.length} breaches\n`);
  }

  /** All were played: the next run begins anew. */
  end(): void {
    if (this.path !== undefined) rmSync(this.path, { force: true });
  }

  private static begin(path: string | undefined, seed: number): Progress {
    if (path !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify({ seed })}\n`);
    }
    return new Progress(seed, path);
  }
}
