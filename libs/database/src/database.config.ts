import { z } from 'zod';

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://');

/** Settings of the connection to Postgres. */
export const databaseConfig = z.object({
  postgresUrl: postgresUrl
    .describe('the database, as postgres://user:password@host:port/name; a transaction pooler may stand between')
    .meta({ secret: true }),
  postgresDirectUrl: postgresUrl
    .optional()
    .describe('the same database without a pooler, for locks and LISTEN; needed only where a pooler stands between')
    .meta({ secret: true }),
  postgresPoolSize: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('the most connections that one process opens'),
});

/** Settings of the ledger, which keeps what was bought. */
export const ledgerConfig = z.object({
  ledgerLeaseMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(600_000)
    .default(15_000)
    .describe('the milliseconds without a sign of life after which the call of another process is taken for lost'),
  ledgerOnUnknownOutcome: z
    .enum(['repeat', 'fail'])
    .default('repeat')
    .describe(
      'what becomes of a lost call: repeat it with its key, or fail as UNKNOWN_OUTCOME where a provider knows no keys',
    ),
});

export type LedgerConfig = z.infer<typeof ledgerConfig>;

export type DatabaseConfig = z.infer<typeof databaseConfig>;
