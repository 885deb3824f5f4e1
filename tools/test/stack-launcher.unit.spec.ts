import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { askLauncher, openControl } from '../stack/control.mjs';
import { removeState } from '../stack/reset-state.mjs';
import { becomeLauncher, endLeftovers, ProcessBook, runningLauncher } from '../stack/run/launcher-record.mjs';
import { startTimeOf } from '../stack/run/processes.mjs';
import { statePaths } from '../stack/state.mjs';

let stateDir: string;
let paths: ReturnType<typeof statePaths>;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'anabranch-state-'));
  paths = statePaths(stateDir);
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

describe('one state folder', () => {
  it('has one launcher: a second one is refused and told the pid', () => {
    becomeLauncher(paths);
    expect(() => becomeLauncher(paths)).toThrow(`Anabranch runs already, as pid ${process.pid}`);
  });

  it('is taken over from a launcher that is gone, although its pid is used again', () => {
    writeFileSync(paths.launcher, JSON.stringify({ pid: process.pid, started: 'long ago' }));
    expect(runningLauncher(paths)).toBeNull();
    expect(becomeLauncher(paths)).toEqual({ pid: process.pid, started: startTimeOf(process.pid) });
  });
});

describe('what a killed launcher left running', () => {
  it('is ended by the next one', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    new ProcessBook(paths.processes).enter('summary', child.pid ?? 0);
    const [said] = await Promise.all([notesOf(endLeftovers), once(child, 'exit')]);
    expect(said).toEqual(['ending what an earlier start left running: summary']);
    expect(child.signalCode).toBe('SIGTERM');
  });

  it('is let be when another process has its pid now', async () => {
    writeFileSync(paths.processes, JSON.stringify([{ name: 'kafka', pid: process.pid, started: 'long ago' }]));
    expect(await notesOf(endLeftovers)).toEqual([]);
  });

  async function notesOf(end: typeof endLeftovers): Promise<string[]> {
    const notes: string[] = [];
    await end(paths, (note: string) => notes.push(note));
    return notes;
  }
});

describe('another terminal', () => {
  it('is told what happens on the way, and then the result', async () => {
    const control = await openControl((request: { command: string }, say: (line: string) => void) => {
      say('on it');
      return Promise.resolve(`did ${request.command}`);
    });
    const notes: string[] = [];
    expect(await askLauncher(control, { command: 'stop' }, (note: string) => notes.push(note))).toBe('did stop');
    expect(notes).toEqual(['on it']);
    control.close();
  });

  it('is told why something cannot be done', async () => {
    const control = await openControl(() => Promise.reject(new Error('there is no "x"')));
    await expect(askLauncher(control, { command: 'stop' }, () => {})).rejects.toThrow('there is no "x"');
    control.close();
  });

  it('may ask nothing without the token', async () => {
    let asked = 0;
    const control = await openControl(() => Promise.resolve((asked += 1)));
    await expect(askLauncher({ ...control, token: 'guess' }, { command: 'stop' }, () => {})).rejects.toThrow(
      'wrong token',
    );
    expect(asked).toBe(0);
    control.close();
  });
});

describe('reset', () => {
  it('removes data, also what lies outside, and nothing that is not ours', () => {
    const outside = mkdtempSync(join(tmpdir(), 'anabranch-outside-'));
    for (const name of ['postgres', 'kafka', 'cache', 'photos']) mkdirSync(join(stateDir, name));
    writeFileSync(join(stateDir, 'postgres', 'pointer.json'), JSON.stringify({ folder: outside }));
    writeFileSync(join(stateDir, 'cache', 'kafka.jar'), 'jar');
    expect(removeState(stateDir).sort()).toEqual([outside, paths.kafka, paths.postgres].sort());
    expect(readFileSync(join(stateDir, 'cache', 'kafka.jar'), 'utf8')).toBe('jar');
    expect(() => mkdirSync(join(stateDir, 'photos'))).toThrow('EEXIST');
    expect(() => mkdirSync(outside)).not.toThrow();
    rmSync(outside, { recursive: true });
  });
});
