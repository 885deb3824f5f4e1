import type { JobPage, JobView } from '@anabranch/database/jobs';
import type { z } from 'zod';
import type { jobPageSchema, jobSchema } from './job-schemas.js';

/** The path of a job. */
export function jobPath(jobId: string): string {
  return `/v1/jobs/${jobId}`;
}

/** The path of a document. */
export function documentPath(documentId: string): string {
  return `/v1/documents/${encodeURIComponent(documentId)}`;
}

/** A job as the API shows it: with links to what belongs to it. */
export function jobJson(job: JobView): z.infer<typeof jobSchema> {
  const self = jobPath(job.id);
  const document = documentPath(job.documentId);
  return {
    ...job,
    links: {
      self,
      result: `${self}/result`,
      text: `${self}/text`,
      events: `${self}/events`,
      why: `${self}/why`,
      document,
    },
  };
}

/** A page of jobs as the API shows it. */
export function jobPageJson({ jobs, nextCursor }: JobPage): z.infer<typeof jobPageSchema> {
  return { jobs: jobs.map(jobJson), nextCursor };
}
