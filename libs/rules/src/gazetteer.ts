import { z } from 'zod';
import type { DefinitionParts } from './definition-parts.js';
import { printable, rulesId, rulesVersion } from './words.js';

const maxEntries = 20_000;

const entry = z.strictObject({
  name: printable(200).describe('The name under which its mentions are gathered.'),
  type: printable(64).describe('The tenant’s own kind of thing, such as PRODUCT.'),
  aliases: z.array(printable(200)).max(50).default([]).describe('Other spellings.'),
});

/** A gazetteer as its tenant writes it. Parsing fills defaults, and names every fault with its path. */
export const gazetteerSchema = z.strictObject({
  id: rulesId,
  version: rulesVersion,
  entries: z.array(entry).max(maxEntries).describe('Names to look for.'),
});

/** The schema in parts. */
export const gazetteerParts: DefinitionParts = {
  list: 'entries',
  head: gazetteerSchema.extend({ entries: z.array(z.unknown()).max(maxEntries) }),
  entry,
  whole: z.unknown(),
  perStep: 250,
};

/** Names that a tenant wants to be found: data of a tenant, and versioned. */
export type Gazetteer = z.output<typeof gazetteerSchema>;

/** A gazetteer as it is written down: what has a default may be left out. */
export type GazetteerInput = z.input<typeof gazetteerSchema>;

/** One name, with its other spellings. */
export type GazetteerEntry = Gazetteer['entries'][number];
