// Whether the machine was ours while something was measured.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { runningPids } from './child.mjs';
import { rounded } from './statistics.mjs';

/** More than so many cores for others, and times by the wall clock mean little. */
const toleratedCores = 0.25;

/** Processor seconds of a process and of its children that have ended. Fields: proc(5), from `state` on. */
function secondsOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / 100;
  } catch {
    return 0;
  }
}

const busySeconds = () =>
  os.cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1_000;

/** @param {() => number[]} stackPids processes that belong to the bench besides its children */
export function watchMachine(stackPids) {
  const ownSeconds = () =>
    [process.pid, ...stackPids(), ...runningPids()].reduce((sum, pid) => sum + secondsOf(pid), 0);
  const loadBefore = os.loadavg()[0];
  const before = { at: performance.now(), busy: busySeconds(), own: ownSeconds() };
  return {
    end() {
      const seconds = (performance.now() - before.at) / 1_000;
      const cores = os.availableParallelism();
      const othersCores = Math.max(0, busySeconds() - before.busy - (ownSeconds() - before.own)) / seconds;
      return {
        cores,
        node: process.version,
        loadBefore: rounded(loadBefore),
        loadAfter: rounded(os.loadavg()[0]),
        coresTakenByOthers: rounded(othersCores),
        isQuiet: loadBefore <= cores && othersCores <= toleratedCores,
      };
    },
  };
}
