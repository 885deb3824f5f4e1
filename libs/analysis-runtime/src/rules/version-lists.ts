// Which versions a tenant has, remembered for as long as that cannot be wrong: a change that is made after a list was read
// is in force later than that list is used for (semantics §7).
import type { RulesReader, RulesVersion } from '@anabranch/database/rules';
import { createRecentAnswers } from './recent-answers.js';
import type { RulesKind } from './tenant-rules.js';

export interface VersionListsOptions {
  kind: RulesKind;
  reader: Pick<RulesReader, 'versions'>;
  /** A list answers for times up to so long after it was read, by the database's clock. Less than the delay of changes. */
  cacheMs: number;
  /** Told when not even a new list answers for a time, and by how much: the clocks of Kafka and Postgres differ. */
  onClockSkew(aheadMs: number): void;
}

/** A tenant's versions, by id. */
export type VersionsById = ReadonlyMap<string, readonly RulesVersion[]>;

/** The versions that a tenant has, complete for everything up to a time (epoch milliseconds). */
export type VersionLists = (tenantId: string, at: number) => Promise<VersionsById>;

interface VersionList {
  readAt: number;
  byId: VersionsById;
}

// Over all tenants; a tenant without rules counts as one.
const maxVersions = 100_000;

const countVersions = ({ byId }: VersionList): number =>
  [...byId.values()].reduce((sum, versions) => sum + versions.length, 1);

/** Lists that are read when they are needed, for each tenant one at a time. */
export function createVersionLists({ kind, reader, cacheMs, onClockSkew }: VersionListsOptions): VersionLists {
  const lists = createRecentAnswers<VersionList>(maxVersions, countVersions);
  const answers = ({ readAt }: VersionList, at: number): boolean => at < readAt + cacheMs;

  const read = async (tenantId: string): Promise<VersionList> => {
    const { readAt, versions } = await reader.versions({ tenantId, kind });
    return { readAt: readAt.getTime(), byId: Map.groupBy(versions, ({ id }) => id) };
  };
  const readNow = (tenantId: string): Promise<VersionList> => {
    const list = read(tenantId);
    lists.set(tenantId, list);
    return list;
  };

  return async (tenantId, at) => {
    const known = lists.get(tenantId);
    const list = await known;
    if (list !== undefined && answers(list, at)) return list.byId;
    // Of all who found the same list too old, the first one reads, and the others wait for that.
    const newer = lists.get(tenantId);
    const fresh = await (newer === undefined || newer === known ? readNow(tenantId) : newer);
    if (!answers(fresh, at)) onClockSkew(at - fresh.readAt);
    return fresh.byId;
  };
}
