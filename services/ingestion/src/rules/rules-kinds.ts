import type { RulesKind } from '@anabranch/database/rules';
import { gazetteerSchema, rulesetSchema, taxonomySchema } from '@anabranch/rules';
import { z } from 'zod';
import { platformFields, rulesVersionSchema } from './rules-schemas.js';

/** One kind of rules, as the API offers it. */
export interface RulesResource {
  kind: RulesKind;
  /** The collection's name in addresses and answers. */
  collection: 'taxonomies' | 'rulesets' | 'gazetteers';
  /** What the body of PUT may hold, for the OpenAPI document. */
  bodySchema: z.ZodType;
  /** What GET answers. */
  shownSchema: z.ZodType;
  listSchema: z.ZodType;
  /** What it is for. */
  purpose: string;
  /** The name of its component in the OpenAPI document. */
  name: string;
}

type Definition = z.ZodObject & z.ZodType<{ id: string; version: string }>;

type Given = Pick<RulesResource, 'kind' | 'collection' | 'purpose' | 'name'>;

function resource(given: Given, schema: Definition): RulesResource {
  const { name, collection } = given;
  const { id: _id, version: _version, ...own } = schema.shape;
  const repeated = z.object(platformFields).partial().shape;
  return {
    ...given,
    bodySchema: z.object({ ...repeated, ...own }).meta({ id: `${name}Body` }),
    shownSchema: z.looseObject({ ...platformFields, ...own }).meta({ id: name }),
    listSchema: z.looseObject({ [collection]: z.array(rulesVersionSchema) }).meta({ id: `${name}List` }),
  };
}

/** All kinds. */
export const rulesResources: readonly RulesResource[] = [
  resource(
    {
      kind: 'taxonomy',
      collection: 'taxonomies',
      name: 'Taxonomy',
      purpose: 'Classes that documents are put into; `default` unless a document names another.',
    },
    taxonomySchema,
  ),
  resource(
    {
      kind: 'ruleset',
      collection: 'rulesets',
      name: 'Ruleset',
      purpose: 'What findings of compliance mean; `default` unless a document names another.',
    },
    rulesetSchema,
  ),
  resource(
    {
      kind: 'gazetteer',
      collection: 'gazetteers',
      name: 'Gazetteer',
      purpose: 'Names of your own that entity extraction looks for: those of all gazetteers.',
    },
    gazetteerSchema,
  ),
];
