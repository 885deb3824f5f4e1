// A tenant's own rules, for one tenant at a time. Those of another tenant are answered as ones that do not exist.
import type { Database } from '@anabranch/database';
import {
  getRules,
  listRules,
  putRules,
  RulesVersionMoved,
  TooManyRules,
  withdrawRules,
  type RulesChange,
  type RulesKey,
  type RulesScope,
  type RulesVersionInfo,
  type StoredRules,
  type StoredVersion,
} from '@anabranch/database/rules';
import { Problem } from '../http/problem.js';

/** A change of rules, as a request asks for it. */
export type RulesChangeRequest = Omit<RulesChange, 'delayMs'>;

/** Rules with what they say. */
export type ShownRules = StoredRules & { definition: object };

/** Reads and changes rules. Every method may throw DependencyUnavailable, or a Problem. */
export interface RulesDesk {
  list(scope: RulesScope): Promise<RulesVersionInfo[]>;
  /** The newest version unless a number is given. */
  get(key: RulesKey, version: number | null): Promise<ShownRules>;
  put(change: RulesChangeRequest, definition: object): Promise<StoredVersion>;
  withdraw(change: RulesChangeRequest): Promise<StoredVersion>;
}

/** `delayMs` is from a change until it is in force. */
export function createRulesDesk(db: Database, { delayMs }: { delayMs: number }): RulesDesk {
  return {
    list: (scope) => db.readAs(scope.tenantId, (_, rows) => listRules(rows, scope)),
    get: async (key, version) => {
      const stored = await db.readAs(key.tenantId, (_, rows) => getRules(rows, key, version));
      if (!isShown(stored)) throw notFound(key, version);
      return stored;
    },
    put: (change, definition) =>
      putRules(db, { ...change, delayMs, definition }).catch((error: unknown) => refuse(change, error)),
    withdraw: async (change) => {
      const stored = await withdrawRules(db, { ...change, delayMs }).catch((error: unknown) => refuse(change, error));
      if (stored === null) throw notFound(change, null);
      return stored;
    },
  };
}

/** A version that withdraws its rules has nothing to show. */
function isShown(stored: StoredRules | null): stored is ShownRules {
  return stored !== null && stored.definition !== null;
}

function notFound({ kind }: RulesKey, version: number | null): Problem {
  const what = version === null ? `There is no ${kind} of this id` : `There is no such version of a ${kind}`;
  const fix = 'The list of the collection names those there are; PUT makes one.';
  return new Problem('RULES_NOT_FOUND', `${what} among yours. ${fix}`, { extensions: { kind } });
}

function refuse({ kind, id }: RulesKey, error: unknown): never {
  if (error instanceof RulesVersionMoved) {
    const { current } = error;
    const state = current === null ? `There is no ${kind} ${id}` : `The newest version is ${current}`;
    throw new Problem('VERSION_MOVED', `${state}, so nothing was changed. GET it, and apply the change to that.`, {
      extensions: { current: current === null ? null : String(current) },
      cause: error,
    });
  }
  if (error instanceof TooManyRules) {
    const { limit, unit } = error;
    const what = unit === 'rules' ? `${limit} of a kind` : `${limit} bytes of a kind, all ids together`;
    throw new Problem('TOO_MANY_RULES', `A tenant may have ${what}. Shorten this one, or DELETE another.`, {
      extensions: { kind, limit, unit },
      cause: error,
    });
  }
  throw error;
}
