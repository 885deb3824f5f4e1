// What is where below the state folder (`.anabranch`). Only names listed here are ever removed by `reset`.
import { join } from 'node:path';

/** @param {string} stateDir */
export function statePaths(stateDir) {
  const at = (/** @type {string} */ name) => join(stateDir, name);
  return {
    /** The running launcher: `{ pid, started, port, token }`. */
    launcher: at('launcher.json'),
    /** Every child process that was started and not yet seen to end: `[{ name, pid, started }]`. */
    processes: at('processes.json'),
    /** For people and tools, while everything is up. */
    local: at('local.json'),
    /** Scrape targets in Prometheus's file format. */
    prometheusTargets: at('prometheus-targets.json'),
    /** `{ tenant, apiKey }` of this machine's development tenant. */
    developmentKey: at('development-key.json'),
    logs: at('logs'),
    /** Of the last test run that failed. */
    testLogs: at('test-logs'),
    run: at('run'),
    kafka: at('kafka'),
    registry: at('registry'),
    postgres: at('postgres'),
    objects: at('objects'),
    /** What Node has compiled of the services: they start a third faster from it. */
    compiled: at('compiled'),
  };
}

/** @typedef {ReturnType<typeof statePaths>} StatePaths */
