import type { DocumentEnrichedInput } from '@anabranch/contracts';

/** A document's result, as small as it may be. */
export function enrichedOf(documentId: string): DocumentEnrichedInput {
  return {
    eventId: '15f5200e-7c46-5eba-9b9d-8b2fb7624063',
    jobId: '9f060050-aa53-51f7-92f3-ae30dbf244e4',
    tenantId: 'tenant',
    documentId,
    revision: 1,
    occurredAt: Date.now(),
    state: 'COMPLETE',
    resultVersion: 1,
    final: true,
    outcomes: [],
  };
}
