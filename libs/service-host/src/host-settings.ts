import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

/** Settings that every process has, whatever it runs. */
export const hostSettings = z.object({
  logLevel: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('the least severe level that is logged'),
  healthHost: z
    .string()
    .default('127.0.0.1')
    .describe('the address that serves /health and /metrics; 0.0.0.0 in a container'),
  healthPort: port.default(0).describe('the port that serves /health and /metrics; 0 takes any free one and logs it'),
  drainMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(300_000)
    .default(10_000)
    .describe('how many milliseconds work in flight may take after a stop was asked for'),
  instance: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
    .default('0')
    .describe('which of several processes of the same service this is, for example 0, 1, 2'),
  readyFile: z
    .string()
    .optional()
    .describe('a file that is written when the process is ready and removed when it stops'),
  parentPipe: z
    .stringbool()
    .default(false)
    .describe(
      '1 when a launcher holds standard input open: the process stops when that closes, and leaves Ctrl-C to it',
    ),
});

export type HostSettings = z.infer<typeof hostSettings>;
