// Processes that may not be our children: is it still the one that we know, and how to end it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../files.mjs';

/**
 * When a process began, in the system's own terms: with the pid it names one process for ever, while a pid alone is
 * given to another one later.
 * @param {number} pid
 * @returns {string | null} null when there is no such process, or only its unread exit code (a zombie)
 */
export function startTimeOf(pid) {
  return process.platform === 'linux' ? linuxStartTime(pid) : portableStartTime(pid);
}

/** @param {number} pid */
function linuxStartTime(pid) {
  const fields = linuxStat(pid);
  return !fields || fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

/**
 * The fields of /proc/PID/stat after the command, which is in brackets and may hold anything.
 * @param {number} pid
 */
function linuxStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** @param {number} pid */
function portableStartTime(pid) {
  const [state, ...started] = ps(pid, 'stat=,lstart=').split(/\s+/);
  return !state || state.startsWith('Z') ? null : started.join(' ');
}

/**
 * @param {number} pid
 * @param {string} columns
 */
function ps(pid, columns) {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/**
 * @param {{ pid: number, started: string | null } | null} known
 * @returns {boolean} whether exactly that process still runs
 */
export function isRunning(known) {
  return known !== null && known.started !== null && startTimeOf(known.pid) === known.started;
}

/** @param {number} pid */
export function parentOf(pid) {
  const text = process.platform === 'linux' ? linuxStat(pid)?.[1] : ps(pid, 'ppid=');
  return text ? Number(text) : null;
}

/** @param {number} pid */
export function commandOf(pid) {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/**
 * Ends a process that is not our child: asks, waits, then kills.
 * @param {{ pid: number, started: string | null }} known
 * @param {{ signal: NodeJS.Signals, timeoutMs: number }} how
 */
export async function endProcess(known, { signal, timeoutMs }) {
  if (!isRunning(known)) return;
  sendSignal(known.pid, signal);
  const until = Date.now() + timeoutMs;
  while (isRunning(known) && Date.now() < until) await delay(50);
  if (isRunning(known)) sendSignal(known.pid, 'SIGKILL');
  while (isRunning(known)) await delay(20);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
