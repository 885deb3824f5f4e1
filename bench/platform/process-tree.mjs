// Processor time of whole process trees, since a database works in its children, and when a process began: by /proc.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** proc(5), from `state` on; throws for a process that is gone. */
function fieldsOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** When a process began, in epoch milliseconds. */
export function startOf(pid) {
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Date.now() - (uptime - Number(fieldsOf(pid)[19]) / ticksPerSecond) * 1_000;
}

/** Null for a process that is gone. */
function statOf(pid) {
  try {
    const fields = fieldsOf(pid);
    // Its own, and that of children that have ended and were waited for.
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), seconds: ticks / ticksPerSecond };
  } catch {
    return null;
  }
}

/** All processes by their parents. */
function readTree() {
  const seconds = new Map();
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(name);
    if (stat === null) continue;
    seconds.set(Number(name), stat.seconds);
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(name)]);
  }
  return { seconds, children };
}

function membersOf(pid, children) {
  return [pid, ...(children.get(pid) ?? []).flatMap((child) => membersOf(child, children))];
}

/**
 * Seconds of each process and all its descendants.
 * @param {readonly { name: string, pid: number }[]} processes
 * @returns {Map<string, number>}
 */
export function treeSeconds(processes) {
  const { seconds, children } = readTree();
  return new Map(
    processes.map(({ name, pid }) => {
      return [name, membersOf(pid, children).reduce((sum, member) => sum + (seconds.get(member) ?? 0), 0)];
    }),
  );
}

/** @param {readonly number[]} pids @returns {number[]} these and all their descendants */
export function treePids(pids) {
  const { children } = readTree();
  return pids.flatMap((pid) => membersOf(pid, children));
}
