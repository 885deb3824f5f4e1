// `.anabranch/local.json`, for people and tools: there while everything is up, and current.
import { removeFile, writeJson } from './files.mjs';

/**
 * @typedef {object} Book
 * @property {string} url
 * @property {string} apiKey
 * @property {string} tenant
 * @property {import('./infra/infra.mjs').Addresses} addresses
 * @property {import('./run/supervised.mjs').Supervised[]} processes
 */

/**
 * Lists what is ready; what restarts or was taken down is not in it meanwhile.
 * @param {import('./state.mjs').StatePaths} paths
 * @param {Book} book
 */
export function writeLocalFiles(paths, { url, apiKey, tenant, addresses, processes }) {
  const ready = processes.filter(({ state }) => state === 'ready');
  const { kafka, registry, postgres } = addresses;
  writeJson(paths.local, { url, apiKey, tenant, kafka, registry, postgres, processes: ready.map(describeProcess) });
  writeJson(paths.prometheusTargets, ready.flatMap(scrapeTarget));
}

/** @param {import('./state.mjs').StatePaths} paths */
export function removeLocalFiles(paths) {
  removeFile(paths.local);
  removeFile(paths.prometheusTargets);
}

/** @param {import('./run/supervised.mjs').Supervised} process */
function describeProcess({ name, service, index, pid, details }) {
  return {
    name,
    service,
    index,
    pid,
    metricsUrl: details.metricsUrl ?? null,
    ...(details.url && { url: details.url }),
  };
}

/** @param {import('./run/supervised.mjs').Supervised} process */
function scrapeTarget({ name, details }) {
  if (!details.metricsUrl) return [];
  return [{ targets: [new URL(details.metricsUrl).host], labels: { process: name } }];
}

/**
 * @param {{ url: string, apiKey: string, seconds: string }} facts
 * @returns {string} with commands that work when they are pasted
 */
export function readyBanner({ url, apiKey, seconds }) {
  const text = 'Acme Corp. signed the contract in Berlin. The support was excellent. Write to jane@example.com.';
  const key = `-H 'authorization: Bearer ${apiKey}'`;
  return `
Anabranch is ready (${seconds} s).
  address  ${url}   (a page to try the API: ${url}/docs)
  API key  ${apiKey}   (for development, on this machine only)

Try it: post a document, then ask for the result with the job id of the answer.
curl -s ${url}/v1/documents ${key} -H 'content-type: application/json' -d '${JSON.stringify({ text })}'
curl -s ${url}/v1/jobs/JOB_ID/result ${key}

Ctrl-C stops everything; the data stay. npm run reset removes them.
`;
}
