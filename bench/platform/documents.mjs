// Distinct documents of 2 kB.
const filler =
  'The committee approved the budget and thanked the team for its excellent work on the difficult project. ';

/** Two kilobytes that no other document has. */
export const textOf = (run, number, revision = 1) =>
  `Document ${number} of ${run}, revision ${revision}. ${filler.repeat(19)}`;
