/**
 * What happens next to a message that failed, and so who is to blame: the message (`poison`), policy or a provider
 * (`refused`), a dependency of this message (`retry`), a dependency of all messages (`pause`), or this process (`stop`).
 */
export type FailureClass = 'poison' | 'refused' | 'retry' | 'pause' | 'stop';

interface FailureDefinition {
  readonly class: FailureClass;
  /** What it means, for outcomes and HTTP answers; holds no data of the document. */
  readonly text: string;
  /** What an operator does about it. */
  readonly runbook: string;
}

/** Every failure that the platform names. A code is never renamed: it stands in stored outcomes and dead letters. */
export const failureCodes = {
  DECODE_FAILED: {
    class: 'poison',
    text: 'The record is not a readable event of its topic.',
    runbook: 'Compare the dead letter with the schema that its id names; fix the producer and send the event again.',
  },
  UNKNOWN_SCHEMA_ID: {
    class: 'poison',
    text: 'The record names a schema id that the registry does not know.',
    runbook: 'Check that the producer uses this registry; register its schema, then redrive.',
  },
  TOMBSTONE: {
    class: 'poison',
    text: 'The record has no value.',
    runbook: 'Find the producer of the empty record; topics of events are not compacted, so it can be dropped.',
  },
  KEY_MISMATCH: {
    class: 'poison',
    text: 'The record key is not the document id of its event.',
    runbook: 'Set the record key to the UTF-8 bytes of documentId in the producer, and send the event again.',
  },
  JOB_ID_MISMATCH: {
    class: 'poison',
    text: 'The job id is not the one that follows from tenant, document and revision.',
    runbook: 'Leave jobId empty in the producer, or derive it as libs/contracts/README.md describes.',
  },
  UNKNOWN_TENANT: {
    class: 'poison',
    text: 'The event names a tenant that does not exist.',
    runbook: 'Create the tenant and redrive, or fix the tenantId that the producer sends.',
  },
  REVISION_CONFLICT: {
    class: 'poison',
    text: 'This revision of the document was already accepted with other content.',
    runbook: 'Send the new content with a higher revision.',
  },
  INVALID_EVENT: {
    class: 'poison',
    text: 'A field of the event has a value that is not allowed.',
    runbook: 'The message names the field; fix the producer and send the event again.',
  },
  CONTENT_MISSING: {
    class: 'poison',
    text: 'The content that the event refers to is not in the object store.',
    runbook: 'Check that producer and platform use the same object store; restore the object, then redrive.',
  },
  CONTENT_MISMATCH: {
    class: 'poison',
    text: 'The stored content has another length or checksum than the event says.',
    runbook: 'The object was overwritten or damaged: restore it from its source, then redrive.',
  },
  RETRIES_EXHAUSTED: {
    class: 'poison',
    text: 'The work was tried as often as is allowed, and failed each time.',
    runbook: 'Look at the cause in the dead letter; when the dependency is well again, redrive.',
  },
  HANDLER_FAILED: {
    class: 'poison',
    text: 'The service failed on this message in a way that it does not know.',
    runbook: 'This is a bug: take the stack trace from the error log, fix it, then redrive.',
  },
  PROCESS_KILLED: {
    class: 'poison',
    text: 'The service’s process ended by its own fault each time that it worked on this document alone.',
    runbook:
      'Read the log before each exit (heap limit, blocked event loop, uncaught error); fix the service, then redrive.',
  },
  RESULT_TOO_LARGE: {
    class: 'poison',
    text: 'The result is larger than an event and the object store may hold.',
    runbook: 'Split the document, or raise the limits of results.',
  },
  TEXT_TOO_LARGE: {
    class: 'poison',
    text: 'The text is longer than this analysis accepts.',
    runbook: 'Split the document, or raise the analysis’ limit of characters.',
  },
  LIMIT_EXCEEDED: {
    class: 'poison',
    text: 'The analysis needed more memory or time for this document than it may have.',
    runbook: 'Split the document; when the engine is at fault, mend it and redrive.',
  },
  BAD_OUTPUT: {
    class: 'poison',
    text: 'The model’s reply is not what was asked for, also after it was shown what is wrong.',
    runbook: 'Look at how often this model does that; take one that keeps to a schema, then run the analysis again.',
  },
  CONTEXT_EXCEEDED: {
    class: 'poison',
    text: 'What was asked does not fit into the model’s context.',
    runbook: 'Lower ANABRANCH_MODEL_CHUNK_CHARACTERS, or take a model with a larger context, then redrive.',
  },
  MODEL_REQUEST_REJECTED: {
    class: 'poison',
    text: 'The provider of the model rejects the request as it stands.',
    runbook: 'When it rejects all of them, it lacks something that is sent: see docs/models.md. Mend it, then redrive.',
  },
  NO_CONTENT: {
    class: 'refused',
    text: 'The document has no text to analyse.',
    runbook: 'Nothing: send the document again when it has text.',
  },
  UNSUPPORTED_LANGUAGE: {
    class: 'refused',
    text: 'The analysis does not know the language of this document.',
    runbook: 'Configure an engine that knows the language, then run the analysis again.',
  },
  SUPERSEDED: {
    class: 'refused',
    text: 'A newer revision of the document is analysed already.',
    runbook: 'Nothing: the newer revision has a job of its own.',
  },
  JOB_CLOSED: {
    class: 'refused',
    text: 'The job was cancelled, rejected or withheld, so nothing more is bought for it.',
    runbook: 'Nothing: send the document again when it is wanted after all.',
  },
  NOT_REQUESTED: {
    class: 'refused',
    text: 'The document was accepted without this analysis, so nothing is bought for it.',
    runbook: 'Nothing: send the document again when the analysis is wanted for it.',
  },
  UNKNOWN_OUTCOME: {
    class: 'poison',
    text: 'A process ended while it waited for the model’s answer, and the call may not be repeated.',
    runbook: 'Ask the provider whether the call was made; then run the analysis again.',
  },
  NO_LABELS: {
    class: 'refused',
    text: 'The taxonomy has no labels to choose from.',
    runbook: 'Add labels to the taxonomy that the message names, then run the analysis again.',
  },
  UNKNOWN_TAXONOMY: {
    class: 'refused',
    text: 'The document names a taxonomy that its tenant did not have when it was accepted.',
    runbook: 'PUT the taxonomy that the message names; once it is in force, send the document again as a new revision.',
  },
  UNKNOWN_RULESET: {
    class: 'refused',
    text: 'The document names a ruleset that its tenant did not have when it was accepted.',
    runbook: 'PUT the ruleset that the message names; once it is in force, send the document again as a new revision.',
  },
  CONTENT_FILTERED: {
    class: 'refused',
    text: 'The provider’s content filter refused the document.',
    runbook: 'Use another provider or the embedded engine for such documents, then run the analysis again.',
  },
  MODEL_REFUSED: {
    class: 'refused',
    text: 'The model refused to work on the document.',
    runbook: 'Use another model or the embedded engine for such documents, then run the analysis again.',
  },
  BUDGET_EXHAUSTED: {
    class: 'refused',
    text: 'The tenant’s budget does not allow this call.',
    runbook: 'Raise the budget or wait for its next period, then run the analysis again.',
  },
  RETRY_LATER: {
    class: 'retry',
    text: 'A dependency asked to be called again later.',
    runbook: 'Nothing: it is tried again by itself.',
  },
  QUOTA: {
    class: 'retry',
    text: 'The account with the provider of the model is used up.',
    runbook: 'Raise the quota or pay the bill at the provider; what waits is tried again by itself.',
  },
  PROVIDER_UNAVAILABLE: {
    class: 'retry',
    text: 'The provider of the model does not answer, or not as it should.',
    runbook: 'Look at the provider’s status and at ANABRANCH_MODEL_BASE_URL; it is tried again by itself.',
  },
  PROVIDER_CONFIGURATION: {
    class: 'retry',
    text: 'The provider of the model does not accept how it is asked: the key, the model’s name or the address.',
    runbook: 'Check ANABRANCH_MODEL_API_KEY, ANABRANCH_MODEL and ANABRANCH_MODEL_BASE_URL; what waits is tried again.',
  },
  DEPENDENCY_UNAVAILABLE: {
    class: 'pause',
    text: 'A dependency that all documents share is down.',
    runbook: 'Bring the named dependency back; intake resumes by itself.',
  },
  CONFIGURATION: {
    class: 'stop',
    text: 'The service is configured so that it cannot work.',
    runbook: 'The message names the setting; fix it and start the service again.',
  },
  STOPPED: {
    class: 'stop',
    text: 'The service stopped itself, so that it does no harm.',
    runbook: 'The message says why; it starts again without loss once that is cured.',
  },
} as const satisfies Record<string, FailureDefinition>;

export type FailureCode = keyof typeof failureCodes;

/** The codes of one class: `CodeOf<'poison'>` is what a `PoisonMessage` may carry. */
export type CodeOf<Class extends FailureClass> = {
  [Code in FailureCode]: (typeof failureCodes)[Code]['class'] extends Class ? Code : never;
}[FailureCode];

export type PoisonCode = CodeOf<'poison'>;
export type RefusedCode = CodeOf<'refused'>;
export type RetryCode = CodeOf<'retry'>;
export type StopCode = CodeOf<'stop'>;

/** Whether a string, such as the header of a dead letter, is one of the codes. */
export function isFailureCode(value: string): value is FailureCode {
  return Object.hasOwn(failureCodes, value);
}
