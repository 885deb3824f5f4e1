/** In the order in which they stop, after all services; names of processes, too. */
export const infrastructureNames = ['registry', 'kafka', 'postgres'];

/** @param {string} name */
export function isInfrastructure(name) {
  return infrastructureNames.includes(name);
}
