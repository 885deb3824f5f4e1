// The shapes of a document and its revisions, as the API shows them.
import type { JobView, RevisionPage } from '@anabranch/database/jobs';
import { jobStates } from '@anabranch/job';
import { z } from 'zod';
import { queryNumber } from '../http/whole-number.js';
import { documentPath, jobJson, jobPath } from '../jobs/job-json.js';
import { jobSchema } from '../jobs/job-schemas.js';

const link = z.string().meta({ description: 'Path of the resource.' });

export const documentSchema = z
  .looseObject({
    id: z.string(),
    revision: z.int().meta({ description: 'The latest one.' }),
    job: jobSchema,
    links: z.looseObject({ self: link, revisions: link, job: link }),
  })
  .meta({ id: 'Document' });

const revisionSchema = z
  .looseObject({
    revision: z.int(),
    jobId: z.uuid(),
    state: z.enum(jobStates),
    createdAt: z.iso.datetime(),
    textSha256: z.string().meta({ description: 'SHA-256 of the cleaned text, lower-case hex.' }),
    links: z.looseObject({ job: link }),
  })
  .meta({ id: 'Revision' });

export const revisionPageSchema = z
  .looseObject({
    documentId: z.string(),
    revisions: z.array(revisionSchema).meta({ description: 'Newest first.' }),
    nextCursor: z.string().nullable().meta({ description: 'Give it as cursor for the next page; null on the last.' }),
  })
  .meta({ id: 'RevisionPage' });

/** The query of `GET /v1/documents/{id}/revisions`. */
export const revisionQuery = z.strictObject({
  limit: queryNumber(1, 200, { default: 50, description: 'Most revisions of the page.' }),
  cursor: z.string().min(1).max(200).optional().meta({ description: 'nextCursor of the page before.' }),
});

/** A document as the API shows it: by the job of its latest revision. */
export function documentJson(job: JobView): z.infer<typeof documentSchema> {
  const { documentId: id, revision } = job;
  const self = documentPath(id);
  return { id, revision, job: jobJson(job), links: { self, revisions: `${self}/revisions`, job: jobPath(job.id) } };
}

/** A page of a document's revisions as the API shows it. */
export function revisionPageJson(documentId: string, page: RevisionPage): z.infer<typeof revisionPageSchema> {
  const revisions = page.revisions.map((one) => ({ ...one, links: { job: jobPath(one.jobId) } }));
  return { documentId, revisions, nextCursor: page.nextCursor };
}
