import type { Logger } from '../../src/index.js';

/** A log that can be read. */
export class CollectedLog implements Logger {
  readonly lines: { level: string; message: string; fields: object }[] = [];
  readonly debug = this.level('debug');
  readonly info = this.level('info');
  readonly warn = this.level('warn');
  readonly error = this.level('error');

  /** Messages at this level. */
  at(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  private level(level: string): (fields: object, message: string) => void {
    return (fields, message) => void this.lines.push({ level, message, fields });
  }
}
