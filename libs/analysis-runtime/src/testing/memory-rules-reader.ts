import type { RulesKey, RulesReader, RulesVersion } from '@anabranch/database/rules';

/** A change, as a test makes it. */
export interface MemoryChange extends RulesKey {
  /** Without id and version; null withdraws. */
  definition: object | null;
  /** Epoch milliseconds. */
  effectiveFrom: number;
}

/** Rules in memory, with a clock that the test sets. */
export interface MemoryRulesReader extends RulesReader {
  /** What the database's clock would say, epoch milliseconds. */
  now: number;
  /** How often it was asked. */
  readonly asked: { versions: number; rules: number };
  put(change: MemoryChange): void;
}

interface Row extends RulesKey, RulesVersion {
  definition: object | null;
}

/** Behaves as the reader of `@anabranch/database/rules`, without Postgres. */
export function createMemoryRulesReader(now = 0): MemoryRulesReader {
  const rows: Row[] = [];
  const reader: MemoryRulesReader = {
    now,
    asked: { versions: 0, rules: 0 },
    put: ({ tenantId, kind, id, definition, effectiveFrom }) => {
      const before = rows.filter((row) => row.tenantId === tenantId && row.kind === kind && row.id === id);
      const version = before.length + 1;
      const isWithdrawn = definition === null;
      rows.push({ tenantId, kind, id, definition, version, isWithdrawn, effectiveFrom: new Date(effectiveFrom) });
    },
    versions: ({ tenantId, kind }) => {
      reader.asked.versions += 1;
      const versions = rows.filter((row) => row.tenantId === tenantId && row.kind === kind);
      return Promise.resolve({
        readAt: new Date(reader.now),
        versions: versions.map(({ id, version, effectiveFrom, isWithdrawn }) => {
          return { id, version, effectiveFrom, isWithdrawn };
        }),
      });
    },
    rules: ({ tenantId, kind, id }, version) => {
      reader.asked.rules += 1;
      const isMeant = (row: Row): boolean => row.tenantId === tenantId && row.kind === kind && row.id === id;
      const found = rows.find((row) => isMeant(row) && row.version === version);
      const createdBy = { keyId: '00000000-0000-4000-8000-000000000000', name: 'test' };
      if (found === undefined) return Promise.resolve(null);
      const bytes = Buffer.byteLength(JSON.stringify(found.definition));
      return Promise.resolve({ ...found, bytes, createdAt: new Date(0), createdBy });
    },
    close: () => Promise.resolve(),
  };
  return reader;
}
