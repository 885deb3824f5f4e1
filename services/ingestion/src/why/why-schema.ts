import { jobStates } from '@anabranch/job';
import { z } from 'zod';

const because = z
  .looseObject({
    code: z.string().meta({ description: 'For machines; further codes may be added.' }),
    message: z.string().meta({ description: 'For people.' }),
  })
  .meta({ id: 'Because', description: 'A reason, with what else is known about it.' });

/** The answer of `GET /v1/jobs/{id}/why`. */
export const whySchema = z
  .looseObject({
    jobId: z.uuid(),
    state: z.enum(jobStates),
    because,
    analyses: z.record(
      z.string(),
      z.looseObject({
        outcome: z.enum(['waiting', 'done', 'refused', 'failed', 'late']),
        run: z.int().meta({ description: 'The run whose outcome is in effect, or the one that is awaited.' }),
        code: z.string().optional().meta({ description: 'Why it was refused, or failed.' }),
        message: z.string().optional(),
        finishedAt: z.iso.datetime().nullable().optional(),
        awaitedRun: z.int().optional().meta({ description: 'The run that has no outcome yet.' }),
        because: because.optional().meta({ description: 'What that run waits for.' }),
      }),
    ),
    asOf: z.iso.datetime().meta({ description: 'When this was so, by the database’s clock.' }),
    links: z.looseObject({ job: z.string(), supersededBy: z.string().optional() }),
  })
  .meta({ id: 'Why' });
