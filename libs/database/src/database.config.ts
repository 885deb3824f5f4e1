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

export type DatabaseConfig = z.infer<typeof databaseConfig>;
