import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { listAnalyses, servicesFolder } from './fixtures/analyses.js';

interface Measured {
  status: string;
  language: string;
  coverage: { charactersRead: number; charactersTotal: number; truncated: boolean };
  resultBytes: number;
  growthMb: number;
  blocks: number[];
  milliseconds: number;
}

const program = fileURLToPath(new URL('./fixtures/measure-long-document.mjs', import.meta.url));
// 172 KB: about 28,000 words.
const speech = fileURLToPath(new URL('../../../e2e/test/documents/english/1946-Truman.txt', import.meta.url));

const measure = (analysis: string, repeats: number): Measured => {
  const args = ['--expose-gc', program, join(servicesFolder, analysis), speech, String(repeats)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env: {} })) as Measured;
};

describe('a long document, in the process of an analysis', () => {
  it.each(listAnalyses().flatMap((name) => [[name, 1, '172 KB'] as const, [name, 30, '5 MB'] as const]))(
    '%s reads all of a speech repeated %p times (%s), blocks for less than 50 ms and grows by less than 150 MB',
    (name, repeats, size) => {
      const { status, coverage, growthMb, blocks, milliseconds, resultBytes } = measure(name, repeats);
      process.stdout.write(
        `${name}, ${size}: ${milliseconds.toFixed(0)} ms, longest block ${Math.min(...blocks).toFixed(1)} ms, ` +
          `+${growthMb.toFixed(0)} MB, result ${resultBytes} bytes\n`,
      );
      expect(status).toBe('DONE');
      expect(coverage).toMatchObject({ charactersRead: coverage.charactersTotal, truncated: false });
      expect(coverage.charactersTotal).toBeGreaterThan(170_000 * repeats);
      expect(Math.min(...blocks)).toBeLessThan(50);
      expect(growthMb).toBeLessThan(150);
    },
    120_000,
  );
});
