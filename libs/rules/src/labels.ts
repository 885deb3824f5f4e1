/** Labels in a document's metadata that name the rules it is judged by, instead of those with the id `default`. */
export const rulesLabels = { taxonomy: 'anabranch.taxonomy', ruleset: 'anabranch.ruleset' } as const;
