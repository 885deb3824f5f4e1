import { totalmem } from 'node:os';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

const runName = z.string().regex(/^[A-Za-z0-9]{1,32}$/);
const launchNotice = z.object({
  run: runName,
  ownExits: z.number().int().min(0),
  ownExit: z.object({ run: runName, reason: z.string(), ranMs: z.number().min(0) }).optional(),
  isRemoved: z.literal(true).optional(),
});

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
  watchdogMs: z.coerce
    .number()
    .int()
    .refine((ms) => ms === 0 || ms >= 500, 'must be 0 or at least 500')
    .default(30_000)
    .describe(
      'how many milliseconds the event loop may be blocked before the process ends itself, so that the record that did it is found; 0 = no limit',
    ),
  memoryLimitMb: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'the megabytes of resident memory above which the process ends itself; 0 = no limit; nine tenths of the container’s limit unless set',
    ),
  launch: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(launchNotice)
    .optional()
    .describe('set by the launcher, as JSON: the name of this run, and how the one before it ended by its own fault'),
  failPointDir: z
    .string()
    .optional()
    .describe(
      'for drills only: a folder whose files name fail points; a process that reaches one removes the file and kills itself',
    ),
  parentPipe: z
    .stringbool()
    .default(false)
    .describe(
      '1 when a launcher holds standard input open: the process stops when that closes, and leaves Ctrl-C to it',
    ),
});

export type HostSettings = z.infer<typeof hostSettings>;

/** In bytes; 0 = none. A process that ends itself can be told why, one that the kernel kills cannot. */
export function memoryLimitOf({ memoryLimitMb }: Pick<HostSettings, 'memoryLimitMb'>): number {
  if (memoryLimitMb !== undefined) return memoryLimitMb * 1024 * 1024;
  const containerBytes = process.constrainedMemory();
  return containerBytes < totalmem() ? containerBytes * 0.9 : 0;
}
