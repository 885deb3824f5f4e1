import type { RulesKey, RulesReader, RulesVersion } from '@anabranch/database/rules';
import { Refused } from '@anabranch/failures';
import { checkRules, type Gazetteer, inForceAt, rulesLabels } from '@anabranch/rules';
import { inSlices } from '../turns.js';
import { createRecentAnswers } from './recent-answers.js';
import type { RulesInForce, RulesKind, RulesPort, RulesQuery, TenantRules } from './tenant-rules.js';
import { createVersionLists, type VersionsById } from './version-lists.js';

export interface RulesOptions {
  kind: RulesKind;
  reader: Pick<RulesReader, 'versions' | 'rules'>;
  /** How long a list of versions is used; see `rulesConfig`. */
  cacheMs: number;
  /** Told when the broker's clock is so far ahead of the database's that answers may differ between processes. */
  onClockSkew(aheadMs: number): void;
}

const unknown = { taxonomy: 'UNKNOWN_TAXONOMY', ruleset: 'UNKNOWN_RULESET' } as const;
const standardId = 'default';

/** Rules as they are remembered. */
interface Remembered {
  inForce: RulesInForce;
  bytes: number;
}

// Of JSON. Objects take several times as much, and what analyses make of them, up to thirty times.
const maxRememberedBytes = 4_194_304;

/**
 * Rules of tenants from the database. Versions never change, so what was read once stays right; lists of versions are
 * read again when a document's time lies beyond what they are complete for.
 */
export function createRulesInForce({ kind, reader, cacheMs, onClockSkew }: RulesOptions): RulesPort {
  const versionsOf = createVersionLists({ kind, reader, cacheMs, onClockSkew });
  const remembered = createRecentAnswers<Remembered>(maxRememberedBytes, ({ bytes }) => bytes);

  const load = async (key: string, tenantId: string, versions: readonly RulesVersion[]): Promise<Remembered> => {
    const read = ({ id, version }: RulesVersion) => readOne(reader, { tenantId, kind, id }, version);
    const loaded = await Promise.all(versions.map(read));
    const definitions = loaded.map(({ definition }) => definition);
    const rules = kind === 'gazetteer' ? merge(definitions as Gazetteer[]) : definitions[0];
    return { inForce: { key, rules } as RulesInForce, bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0) };
  };

  return {
    async inForce(query) {
      const { tenantId, at } = query;
      const versions = choose(kind, query, await versionsOf(tenantId, at));
      const key = [kind, tenantId, ...versions.map(({ id, version }) => `${id}@${version}`)].join(' ');
      if (versions.length === 0) return { key, rules: null };
      const known = remembered.get(key);
      if (known !== undefined) return (await known).inForce;
      const loading = load(key, tenantId, versions);
      remembered.set(key, loading);
      return (await loading).inForce;
    },
  };
}

const merge = (gazetteers: readonly Gazetteer[]): TenantRules['gazetteer'] => {
  return { entries: gazetteers.flatMap(({ entries }) => entries) };
};

/** The versions that a document is judged by: one, or of gazetteers all; none when the analysis uses its own. */
function choose(kind: RulesKind, { metadata, at }: RulesQuery, versionsById: VersionsById): RulesVersion[] {
  const inForce = (id: string): RulesVersion[] => {
    const version = inForceAt(versionsById.get(id) ?? [], at);
    return version === null || version.isWithdrawn ? [] : [version];
  };
  if (kind === 'gazetteer') return [...versionsById.keys()].toSorted().flatMap(inForce);
  const id = metadata[rulesLabels[kind]] ?? standardId;
  const found = inForce(id);
  if (found.length > 0 || id === standardId) return found;
  const fix = `PUT /v1/${kind === 'taxonomy' ? 'taxonomies' : 'rulesets'}/ID, wait until it is in force, send it again.`;
  throw new Refused(unknown[kind], `There was no ${kind} of the id in ${rulesLabels[kind]} at that time. ${fix}`);
}

// Rules are read for all documents that wait for them: the end of one stops nothing.
const unaborted = new AbortController().signal;

async function readOne(reader: RulesOptions['reader'], key: RulesKey, version: number) {
  const stored = await reader.rules(key, version);
  if (stored === null) throw new Error(`Version ${version} of a ${key.kind} is listed, and is not there.`);
  const { definition, bytes } = stored;
  // What a schema has got since the version was stored has a default.
  const whole = { ...(definition as object), id: key.id, version: String(version) };
  return { definition: await inSlices(checkRules(key.kind, whole), unaborted), bytes };
}
