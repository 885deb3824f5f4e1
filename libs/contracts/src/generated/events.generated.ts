// Made of schemas/ by `node tools/contracts/cli.mjs generate`. Do not edit.

/** The outcome of classification for one revision of a document. */
export interface ClassificationFinished {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** Who made the result. */
  engine: Engine;
  /** How the analysis ended, and with what. */
  outcome: ClassificationOutcome;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef: ContentRef | null;
  /** How much of the document was read. */
  coverage: Coverage | null;
  /** What it cost; null for free engines. */
  usage: Usage | null;
  /** What a reader of the result should know. */
  warnings: string[];
}

/** ClassificationFinished as a producer fills it: what has a default may be left out. */
export interface ClassificationFinishedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** Who made the result. */
  engine: EngineInput;
  /** How the analysis ended, and with what. */
  outcome: ClassificationOutcomeInput;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef?: ContentRef | null;
  /** How much of the document was read. */
  coverage?: CoverageInput | null;
  /** What it cost; null for free engines. */
  usage?: UsageInput | null;
  /** What a reader of the result should know. */
  warnings?: string[];
}

/** Who made the result. */
export interface Engine {
  /** Embedded, or a language model. */
  kind: EngineKind;
  /** Name of the engine. */
  name: string;
  /** Version of the engine. */
  version: string;
  /** Model id, when a model answered. */
  model: string | null;
  /** Version of the prompt, when a model answered. */
  promptVersion: string | null;
}

/** Engine as a producer fills it: what has a default may be left out. */
export interface EngineInput {
  /** Embedded, or a language model. */
  kind: EngineKind;
  /** Name of the engine. */
  name: string;
  /** Version of the engine. */
  version: string;
  /** Model id, when a model answered. */
  model?: string | null;
  /** Version of the prompt, when a model answered. */
  promptVersion?: string | null;
}

/** What kind of engine answered. */
export type EngineKind = 'UNKNOWN' | 'EMBEDDED' | 'MODEL';

/** How the analysis ended, and with what. */
export interface ClassificationOutcome {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result: ClassificationResult | null;
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
}

/** ClassificationOutcome as a producer fills it: what has a default may be left out. */
export interface ClassificationOutcomeInput {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result?: ClassificationResultInput | null;
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
}

/** How an analysis ended. */
export type OutcomeStatus = 'UNKNOWN' | 'DONE' | 'REFUSED' | 'FAILED' | 'LATE';

/** The document’s place in a taxonomy. */
export interface ClassificationResult {
  /** Which taxonomy was applied. */
  taxonomy: TaxonomyRef;
  /** Whether several labels may hold. */
  multiLabel: boolean;
  /** Lowest score at which a label holds. */
  threshold: number;
  /** The best label that holds; null when none reaches the threshold. (confidential) */
  label: string | null;
  /** Why label is null. */
  reason: string | null;
  /** All labels, best first. (confidential) */
  labels: LabelScore[];
}

/** ClassificationResult as a producer fills it: what has a default may be left out. */
export interface ClassificationResultInput {
  /** Which taxonomy was applied. */
  taxonomy: TaxonomyRef;
  /** Whether several labels may hold. */
  multiLabel: boolean;
  /** Lowest score at which a label holds. */
  threshold: number;
  /** The best label that holds; null when none reaches the threshold. (confidential) */
  label?: string | null;
  /** Why label is null. */
  reason?: string | null;
  /** All labels, best first. (confidential) */
  labels: LabelScoreInput[];
}

/** Which taxonomy was applied. */
export interface TaxonomyRef {
  /** Id of the taxonomy. */
  id: string;
  /** Version of the taxonomy. */
  version: string;
}

/** One label of the taxonomy. */
export interface LabelScore {
  /** Name of the label. */
  name: string;
  /** Score; what it means says scoreKind. */
  score: number | null;
  /** What the score means. */
  scoreKind: ScoreKind;
  /** Why it scores, by offset. (confidential) */
  evidence: LabelEvidence[];
}

/** LabelScore as a producer fills it: what has a default may be left out. */
export interface LabelScoreInput {
  /** Name of the label. */
  name: string;
  /** Score; what it means says scoreKind. */
  score?: number | null;
  /** What the score means. */
  scoreKind: ScoreKind;
  /** Why it scores, by offset. (confidential) */
  evidence: LabelEvidence[];
}

/** What a score means. */
export type ScoreKind = 'UNKNOWN' | 'CALIBRATED_PROBABILITY' | 'VALIDATOR' | 'RANK' | 'MODEL_SELF_REPORT' | 'NONE';

/** Why a label scores. */
export interface LabelEvidence {
  /** The text as it stands in the document. (confidential) */
  text: string;
  /** First code point, from 0. */
  begin: number;
  /** One past the last code point. */
  end: number;
  /** Which rule matched: keyword, pattern or example. */
  source: string;
}

/** A business refusal: never retried, never a dead letter. */
export interface Refusal {
  /** Code of the refusal, such as NO_CONTENT. */
  code: string;
  /** What it means and what to do. */
  message: string;
  /** Who refused, when it was a provider. */
  provider: string | null;
}

/** Refusal as a producer fills it: what has a default may be left out. */
export interface RefusalInput {
  /** Code of the refusal, such as NO_CONTENT. */
  code: string;
  /** What it means and what to do. */
  message: string;
  /** Who refused, when it was a provider. */
  provider?: string | null;
}

/** A permanent technical failure. */
export interface Failure {
  /** Code of the failure. */
  code: string;
  /** What it means and what to do. */
  message: string;
  /** How often the work was tried. */
  attempts: number;
}

/** A claim check: content that lies in the object store. */
export interface ContentRef {
  /** Key in the object store, below the tenant id; never a URL or a path. */
  key: string;
  /** SHA-256 of the stored bytes, lower-case hex. */
  sha256: string;
  /** Length of the stored bytes. */
  bytes: number;
}

/** How much of the document the result rests on. */
export interface Coverage {
  /** Code points that the analysis read. */
  charactersRead: number;
  /** Code points of the cleaned text. */
  charactersTotal: number;
  /** Pages read, where the document has pages. */
  pagesRead: number | null;
  /** Pages of the document, where it has pages. */
  pagesTotal: number | null;
  /** True when a part was left out. */
  truncated: boolean;
}

/** Coverage as a producer fills it: what has a default may be left out. */
export interface CoverageInput {
  /** Code points that the analysis read. */
  charactersRead: number;
  /** Code points of the cleaned text. */
  charactersTotal: number;
  /** Pages read, where the document has pages. */
  pagesRead?: number | null;
  /** Pages of the document, where it has pages. */
  pagesTotal?: number | null;
  /** True when a part was left out. */
  truncated: boolean;
}

/** What the outcome cost. */
export interface Usage {
  /** Tokens sent. */
  inputTokens: number;
  /** Tokens received. */
  outputTokens: number;
  /** Tokens sent that the provider had cached. */
  cachedInputTokens: number;
  /** Cost in millionths of the currency; null = price unknown. */
  costMicros: number | null;
  /** ISO 4217 code of the cost. */
  currency: string;
  /** Time spent waiting for the model. */
  latencyMs: number;
  /** Calls made. */
  attempts: number;
  /** Bought now, or a stored answer. */
  boughtOrReused: Purchase;
}

/** Usage as a producer fills it: what has a default may be left out. */
export interface UsageInput {
  /** Tokens sent. */
  inputTokens: number;
  /** Tokens received. */
  outputTokens: number;
  /** Tokens sent that the provider had cached. */
  cachedInputTokens?: number;
  /** Cost in millionths of the currency; null = price unknown. */
  costMicros?: number | null;
  /** ISO 4217 code of the cost. */
  currency?: string;
  /** Time spent waiting for the model. */
  latencyMs: number;
  /** Calls made. */
  attempts: number;
  /** Bought now, or a stored answer. */
  boughtOrReused: Purchase;
}

/** Whether money was spent for this outcome. */
export type Purchase = 'UNKNOWN' | 'BOUGHT' | 'REUSED';

/** Run classification for a document that was accepted before: a re-run, or work whose wait is over. */
export interface ClassificationRequested {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** ClassificationRequested as a producer fills it: what has a default may be left out. */
export interface ClassificationRequestedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause?: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh?: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt?: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}

/** Why the analysis is asked for. */
export type RequestCause = 'UNKNOWN' | 'RERUN' | 'RELEASED';

/** Whose turn comes first. */
export type Priority = 'UNKNOWN' | 'LOW' | 'NORMAL' | 'HIGH';

/** How the document may be handled. */
export type Sensitivity = 'UNKNOWN' | 'PUBLIC' | 'INTERNAL' | 'CONFIDENTIAL' | 'RESTRICTED';

/** The outcome of compliance for one revision of a document. */
export interface ComplianceFinished {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** Who made the result. */
  engine: Engine;
  /** How the analysis ended, and with what. */
  outcome: ComplianceOutcome;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef: ContentRef | null;
  /** How much of the document was read. */
  coverage: Coverage | null;
  /** What it cost; null for free engines. */
  usage: Usage | null;
  /** What a reader of the result should know. */
  warnings: string[];
}

/** ComplianceFinished as a producer fills it: what has a default may be left out. */
export interface ComplianceFinishedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** Who made the result. */
  engine: EngineInput;
  /** How the analysis ended, and with what. */
  outcome: ComplianceOutcomeInput;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef?: ContentRef | null;
  /** How much of the document was read. */
  coverage?: CoverageInput | null;
  /** What it cost; null for free engines. */
  usage?: UsageInput | null;
  /** What a reader of the result should know. */
  warnings?: string[];
}

/** How the analysis ended, and with what. */
export interface ComplianceOutcome {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result: ComplianceResult | null;
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
}

/** ComplianceOutcome as a producer fills it: what has a default may be left out. */
export interface ComplianceOutcomeInput {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result?: ComplianceResultInput | null;
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
}

/** Sensitive content, and the rules that it breaches. */
export interface ComplianceResult {
  /** Sensitive spans, by offset. (confidential) */
  findings: Finding[];
  /** Counts by type. */
  types: FindingCount[];
  /** Rules breached. (confidential) */
  flags: Flag[];
}

/** ComplianceResult as a producer fills it: what has a default may be left out. */
export interface ComplianceResultInput {
  /** Sensitive spans, by offset. (confidential) */
  findings: FindingInput[];
  /** Counts by type. */
  types: FindingCount[];
  /** Rules breached. (confidential) */
  flags: Flag[];
}

/** One sensitive span. */
export interface Finding {
  /** What was found, such as CARD or EMAIL. */
  type: string;
  /** First code point, from 0. */
  begin: number;
  /** One past the last code point. */
  end: number;
  /** Page, from 1, where the document has pages. */
  page: number | null;
  /** Score; what it means says scoreKind. */
  score: number | null;
  /** What the score means. */
  scoreKind: ScoreKind;
  /** A masked form; the value itself is never stored. (confidential) */
  masked: string;
  /** Keyed hash of the value, when the tenant asks for one. (confidential) */
  hmac: string | null;
}

/** Finding as a producer fills it: what has a default may be left out. */
export interface FindingInput {
  /** What was found, such as CARD or EMAIL. */
  type: string;
  /** First code point, from 0. */
  begin: number;
  /** One past the last code point. */
  end: number;
  /** Page, from 1, where the document has pages. */
  page?: number | null;
  /** Score; what it means says scoreKind. */
  score?: number | null;
  /** What the score means. */
  scoreKind: ScoreKind;
  /** A masked form; the value itself is never stored. (confidential) */
  masked: string;
  /** Keyed hash of the value, when the tenant asks for one. (confidential) */
  hmac?: string | null;
}

/** How often a type was found. */
export interface FindingCount {
  /** What was found. */
  type: string;
  /** How often. */
  count: number;
}

/** A rule that the findings breach. */
export interface Flag {
  /** Id of the rule. */
  ruleId: string;
  /** Version of the ruleset. */
  ruleVersion: string;
  /** How grave it is. */
  severity: Severity;
  /** What the rule asks for. */
  action: RuleAction;
  /** Indexes into findings. */
  findings: number[];
}

/** How grave a rule’s breach is. */
export type Severity = 'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** What a rule asks for. */
export type RuleAction = 'UNKNOWN' | 'NONE' | 'REVIEW' | 'BLOCK';

/** Run compliance for a document that was accepted before: a re-run, or work whose wait is over. */
export interface ComplianceRequested {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** ComplianceRequested as a producer fills it: what has a default may be left out. */
export interface ComplianceRequestedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause?: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh?: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt?: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}

/** The outcome of entity-extraction for one revision of a document. */
export interface EntityExtractionFinished {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** Who made the result. */
  engine: Engine;
  /** How the analysis ended, and with what. */
  outcome: EntityExtractionOutcome;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef: ContentRef | null;
  /** How much of the document was read. */
  coverage: Coverage | null;
  /** What it cost; null for free engines. */
  usage: Usage | null;
  /** What a reader of the result should know. */
  warnings: string[];
}

/** EntityExtractionFinished as a producer fills it: what has a default may be left out. */
export interface EntityExtractionFinishedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** Who made the result. */
  engine: EngineInput;
  /** How the analysis ended, and with what. */
  outcome: EntityExtractionOutcomeInput;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef?: ContentRef | null;
  /** How much of the document was read. */
  coverage?: CoverageInput | null;
  /** What it cost; null for free engines. */
  usage?: UsageInput | null;
  /** What a reader of the result should know. */
  warnings?: string[];
}

/** How the analysis ended, and with what. */
export interface EntityExtractionOutcome {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result: EntityExtractionResult | null;
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
}

/** EntityExtractionOutcome as a producer fills it: what has a default may be left out. */
export interface EntityExtractionOutcomeInput {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result?: EntityExtractionResultInput | null;
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
}

/** Things that the document names. */
export interface EntityExtractionResult {
  /** Entities by first mention. (confidential) */
  entities: Entity[];
}

/** EntityExtractionResult as a producer fills it: what has a default may be left out. */
export interface EntityExtractionResultInput {
  /** Entities by first mention. (confidential) */
  entities: EntityInput[];
}

/** One thing that the document names. */
export interface Entity {
  /** Id within this result. */
  id: string;
  /** The fullest name found. (confidential) */
  name: string;
  /** What kind of thing it is. */
  type: EntityType;
  /** The gazetteer’s type, when type is CUSTOM. */
  customType: string | null;
  /** Score; what it means says scoreKind. */
  score: number | null;
  /** What the score means. */
  scoreKind: ScoreKind;
  /** Where it is named, by offset. (confidential) */
  mentions: Mention[];
}

/** Entity as a producer fills it: what has a default may be left out. */
export interface EntityInput {
  /** Id within this result. */
  id: string;
  /** The fullest name found. (confidential) */
  name: string;
  /** What kind of thing it is. */
  type: EntityType;
  /** The gazetteer’s type, when type is CUSTOM. */
  customType?: string | null;
  /** Score; what it means says scoreKind. */
  score?: number | null;
  /** What the score means. */
  scoreKind: ScoreKind;
  /** Where it is named, by offset. (confidential) */
  mentions: MentionInput[];
}

/** What kind of thing an entity is. */
export type EntityType = 'UNKNOWN' | 'PERSON' | 'ORGANIZATION' | 'LOCATION' | 'DATE' | 'QUANTITY' | 'EMAIL' | 'URL' | 'PHONE' | 'IBAN' | 'OTHER' | 'CUSTOM';

/** One place where an entity is named. */
export interface Mention {
  /** The text as it stands in the document. (confidential) */
  text: string;
  /** First code point, from 0; 0 when not grounded. */
  begin: number;
  /** One past the last code point; 0 when not grounded. */
  end: number;
  /** Page, from 1, where the document has pages. */
  page: number | null;
  /** Score of this mention, of the entity’s scoreKind. */
  score: number | null;
  /** True when the text stands at these offsets. */
  grounded: boolean;
}

/** Mention as a producer fills it: what has a default may be left out. */
export interface MentionInput {
  /** The text as it stands in the document. (confidential) */
  text: string;
  /** First code point, from 0; 0 when not grounded. */
  begin: number;
  /** One past the last code point; 0 when not grounded. */
  end: number;
  /** Page, from 1, where the document has pages. */
  page?: number | null;
  /** Score of this mention, of the entity’s scoreKind. */
  score?: number | null;
  /** True when the text stands at these offsets. */
  grounded: boolean;
}

/** Run entity-extraction for a document that was accepted before: a re-run, or work whose wait is over. */
export interface EntityExtractionRequested {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** EntityExtractionRequested as a producer fills it: what has a default may be left out. */
export interface EntityExtractionRequestedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause?: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh?: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt?: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}

/** The outcome of sentiment for one revision of a document. */
export interface SentimentFinished {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** Who made the result. */
  engine: Engine;
  /** How the analysis ended, and with what. */
  outcome: SentimentOutcome;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef: ContentRef | null;
  /** How much of the document was read. */
  coverage: Coverage | null;
  /** What it cost; null for free engines. */
  usage: Usage | null;
  /** What a reader of the result should know. */
  warnings: string[];
}

/** SentimentFinished as a producer fills it: what has a default may be left out. */
export interface SentimentFinishedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** Who made the result. */
  engine: EngineInput;
  /** How the analysis ended, and with what. */
  outcome: SentimentOutcomeInput;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef?: ContentRef | null;
  /** How much of the document was read. */
  coverage?: CoverageInput | null;
  /** What it cost; null for free engines. */
  usage?: UsageInput | null;
  /** What a reader of the result should know. */
  warnings?: string[];
}

/** How the analysis ended, and with what. */
export interface SentimentOutcome {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result: SentimentResult | null;
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
}

/** SentimentOutcome as a producer fills it: what has a default may be left out. */
export interface SentimentOutcomeInput {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result?: SentimentResultInput | null;
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
}

/** The document’s sentiment. */
export interface SentimentResult {
  /** The document’s sentiment; NEUTRAL when the engine abstains. (confidential) */
  sentiment: Sentiment;
  /** False when the engine abstains, for want of evidence. */
  decided: boolean;
  /** Why the engine abstains. */
  reason: string | null;
  /** Scores of the document. (confidential) */
  scores: SentimentScores;
  /** Sentences with evidence, by offset. (confidential) */
  sentences: SentenceSentiment[];
  /** What was weighed, by offset. (confidential) */
  evidence: SentimentEvidence[];
}

/** SentimentResult as a producer fills it: what has a default may be left out. */
export interface SentimentResultInput {
  /** The document’s sentiment; NEUTRAL when the engine abstains. (confidential) */
  sentiment: Sentiment;
  /** False when the engine abstains, for want of evidence. */
  decided?: boolean;
  /** Why the engine abstains. */
  reason?: string | null;
  /** Scores of the document. (confidential) */
  scores: SentimentScoresInput;
  /** Sentences with evidence, by offset. (confidential) */
  sentences: SentenceSentimentInput[];
  /** What was weighed, by offset. (confidential) */
  evidence: SentimentEvidence[];
}

/** A judgement of sentiment. */
export type Sentiment = 'UNKNOWN' | 'POSITIVE' | 'NEGATIVE' | 'NEUTRAL' | 'MIXED';

/** Scores of the document, together 1. */
export interface SentimentScores {
  /** Share of positive evidence. (confidential) */
  positive: number | null;
  /** Share of negative evidence. (confidential) */
  negative: number | null;
  /** Share of text without evidence. (confidential) */
  neutral: number | null;
  /** What the scores mean. */
  scoreKind: ScoreKind;
}

/** SentimentScores as a producer fills it: what has a default may be left out. */
export interface SentimentScoresInput {
  /** Share of positive evidence. (confidential) */
  positive?: number | null;
  /** Share of negative evidence. (confidential) */
  negative?: number | null;
  /** Share of text without evidence. (confidential) */
  neutral?: number | null;
  /** What the scores mean. */
  scoreKind: ScoreKind;
}

/** Sentiment of one sentence. */
export interface SentenceSentiment {
  /** First code point, from 0. */
  begin: number;
  /** One past the last code point. */
  end: number;
  /** The sentence’s sentiment. (confidential) */
  sentiment: Sentiment;
  /** From −1 (negative) to 1 (positive), of the kind that scores.scoreKind says. (confidential) */
  score: number | null;
}

/** SentenceSentiment as a producer fills it: what has a default may be left out. */
export interface SentenceSentimentInput {
  /** First code point, from 0. */
  begin: number;
  /** One past the last code point. */
  end: number;
  /** The sentence’s sentiment. (confidential) */
  sentiment: Sentiment;
  /** From −1 (negative) to 1 (positive), of the kind that scores.scoreKind says. (confidential) */
  score?: number | null;
}

/** One word or phrase that was weighed. */
export interface SentimentEvidence {
  /** The text as it stands in the document. (confidential) */
  text: string;
  /** First code point, from 0. */
  begin: number;
  /** One past the last code point. */
  end: number;
  /** What it added, negated and intensified. (confidential) */
  weight: number;
}

/** Run sentiment for a document that was accepted before: a re-run, or work whose wait is over. */
export interface SentimentRequested {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** SentimentRequested as a producer fills it: what has a default may be left out. */
export interface SentimentRequestedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause?: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh?: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt?: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}

/** The outcome of summary for one revision of a document. */
export interface SummaryFinished {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** Who made the result. */
  engine: Engine;
  /** How the analysis ended, and with what. */
  outcome: SummaryOutcome;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef: ContentRef | null;
  /** How much of the document was read. */
  coverage: Coverage | null;
  /** What it cost; null for free engines. */
  usage: Usage | null;
  /** What a reader of the result should know. */
  warnings: string[];
}

/** SummaryFinished as a producer fills it: what has a default may be left out. */
export interface SummaryFinishedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** Who made the result. */
  engine: EngineInput;
  /** How the analysis ended, and with what. */
  outcome: SummaryOutcomeInput;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef?: ContentRef | null;
  /** How much of the document was read. */
  coverage?: CoverageInput | null;
  /** What it cost; null for free engines. */
  usage?: UsageInput | null;
  /** What a reader of the result should know. */
  warnings?: string[];
}

/** How the analysis ended, and with what. */
export interface SummaryOutcome {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result: SummaryResult | null;
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
}

/** SummaryOutcome as a producer fills it: what has a default may be left out. */
export interface SummaryOutcomeInput {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result?: SummaryResultInput | null;
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
}

/** A summary of the document. */
export interface SummaryResult {
  /** Sentences of the document, or new text. */
  kind: SummaryKind;
  /** The summary. (confidential) */
  text: string;
  /** The summary’s sentences, in document order. (confidential) */
  sentences: SummarySentence[];
  /** What the summary rests on. */
  coverage: SummaryCoverage;
}

/** SummaryResult as a producer fills it: what has a default may be left out. */
export interface SummaryResultInput {
  /** Sentences of the document, or new text. */
  kind: SummaryKind;
  /** The summary. (confidential) */
  text: string;
  /** The summary’s sentences, in document order. (confidential) */
  sentences: SummarySentenceInput[];
  /** What the summary rests on. */
  coverage: SummaryCoverage;
}

/** How the summary was made. */
export type SummaryKind = 'UNKNOWN' | 'EXTRACTIVE' | 'ABSTRACTIVE';

/** One sentence of the summary. */
export interface SummarySentence {
  /** The sentence. (confidential) */
  text: string;
  /** First code point in the document, from 0. */
  begin: number | null;
  /** One past the last code point. */
  end: number | null;
  /** Page, from 1, where the document has pages. */
  page: number | null;
  /** Rank among the document’s sentences, 0 to 1. */
  rankScore: number | null;
}

/** SummarySentence as a producer fills it: what has a default may be left out. */
export interface SummarySentenceInput {
  /** The sentence. (confidential) */
  text: string;
  /** First code point in the document, from 0. */
  begin?: number | null;
  /** One past the last code point. */
  end?: number | null;
  /** Page, from 1, where the document has pages. */
  page?: number | null;
  /** Rank among the document’s sentences, 0 to 1. */
  rankScore?: number | null;
}

/** What the summary rests on. */
export interface SummaryCoverage {
  /** How a long document was worked: single, or map-reduce. */
  strategy: string;
  /** Chunks worked. */
  chunks: number;
  /** Sentences read. */
  sentencesRead: number;
  /** Sentences of the document. */
  sentencesTotal: number;
}

/** Run summary for a document that was accepted before: a re-run, or work whose wait is over. */
export interface SummaryRequested {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** SummaryRequested as a producer fills it: what has a default may be left out. */
export interface SummaryRequestedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause?: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh?: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt?: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}

/** A job settled, or a settled job was upgraded. Keep the highest (revision, resultVersion). */
export interface DocumentEnriched {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The state that the job settled in. */
  state: SettledState;
  /** Why it settled so. */
  reason: string | null;
  /** Number of this settlement, from 1. */
  resultVersion: number;
  /** sha256: of the canonical JSON (RFC 8785) of results, schema and prompt versions, revision; empty without results. */
  resultDigest: string;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex; empty when unknown. */
  textSha256: string;
  /** The revision that took its place. */
  supersededBy: number | null;
  /** False only while an outcome is late, so that more may come without anybody asking. */
  final: boolean;
  /** One outcome for each requested analysis. */
  outcomes: AnalysisOutcome[];
  /** The producer’s own labels. (confidential) */
  metadata: Record<string, string>;
}

/** DocumentEnriched as a producer fills it: what has a default may be left out. */
export interface DocumentEnrichedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The state that the job settled in. */
  state: SettledState;
  /** Why it settled so. */
  reason?: string | null;
  /** Number of this settlement, from 1. */
  resultVersion: number;
  /** sha256: of the canonical JSON (RFC 8785) of results, schema and prompt versions, revision; empty without results. */
  resultDigest?: string;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex; empty when unknown. */
  textSha256?: string;
  /** The revision that took its place. */
  supersededBy?: number | null;
  /** False only while an outcome is late, so that more may come without anybody asking. */
  final: boolean;
  /** One outcome for each requested analysis. */
  outcomes: AnalysisOutcomeInput[];
  /** The producer’s own labels. (confidential) */
  metadata?: Record<string, string>;
}

/** The states that a job settles in. */
export type SettledState = 'UNKNOWN' | 'REJECTED' | 'PARTIAL' | 'COMPLETE' | 'RELEASED' | 'WITHHELD' | 'CANCELLED' | 'SUPERSEDED';

/** One analysis’ part of the result. */
export interface AnalysisOutcome {
  /** Name of the analysis. */
  analysis: string;
  /** The run that is in effect. */
  run: number;
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** When the outcome came about; null when late. */
  finishedAt: number | null;
  /** Who made the result. */
  engine: Engine | null;
  /** How much was read. */
  coverage: Coverage | null;
  /** What it cost. */
  usage: Usage | null;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** What a reader of the result should know. */
  warnings: string[];
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
  /** Full name and version of the result’s schema, such as anabranch.analysis.summary.SummaryResult/v1. */
  resultSchema: string;
  /** The result as JSON, when it may be published. (confidential) */
  resultJson: string | null;
  /** The result as a claim check, when it is above 64 KiB. */
  resultRef: ContentRef | null;
}

/** AnalysisOutcome as a producer fills it: what has a default may be left out. */
export interface AnalysisOutcomeInput {
  /** Name of the analysis. */
  analysis: string;
  /** The run that is in effect. */
  run: number;
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** When the outcome came about; null when late. */
  finishedAt?: number | null;
  /** Who made the result. */
  engine?: EngineInput | null;
  /** How much was read. */
  coverage?: CoverageInput | null;
  /** What it cost. */
  usage?: UsageInput | null;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** What a reader of the result should know. */
  warnings?: string[];
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
  /** Full name and version of the result’s schema, such as anabranch.analysis.summary.SummaryResult/v1. */
  resultSchema: string;
  /** The result as JSON, when it may be published. (confidential) */
  resultJson?: string | null;
  /** The result as a claim check, when it is above 64 KiB. */
  resultRef?: ContentRef | null;
}

/** A document arrived. A producer fills tenantId, documentId, revision, occurredAt and text; everything else has a default. */
export interface DocumentIngested {
  /** UUID of this event; empty = derived by the reader from job id. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision; empty = derived by the reader; another value is poison JOB_ID_MISMATCH. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Names of analyses; empty = the deployment’s default set. */
  requestedAnalyses: string[];
  /** Duration from acceptance; 0 = the deployment’s default. */
  deadlineMs: number;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Id of the event in the producer’s own system. */
  sourceEventId: string | null;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** DocumentIngested as a producer fills it: what has a default may be left out. */
export interface DocumentIngestedInput {
  /** UUID of this event; empty = derived by the reader from job id. */
  eventId?: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision; empty = derived by the reader; another value is poison JOB_ID_MISMATCH. */
  jobId?: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Names of analyses; empty = the deployment’s default set. */
  requestedAnalyses?: string[];
  /** Duration from acceptance; 0 = the deployment’s default. */
  deadlineMs?: number;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Id of the event in the producer’s own system. */
  sourceEventId?: string | null;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}

/** How the analysis ended, and with what. */
export interface Outcome {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result: unknown;
  /** Why it was refused. */
  refusal: Refusal | null;
  /** Why it failed. */
  failure: Failure | null;
}

/** Outcome as a producer fills it: what has a default may be left out. */
export interface OutcomeInput {
  /** How the analysis ended. */
  status: OutcomeStatus;
  /** The result, when done and inline. (confidential) */
  result?: unknown;
  /** Why it was refused. */
  refusal?: RefusalInput | null;
  /** Why it failed. */
  failure?: Failure | null;
}

/** What the outcomes of all analyses have in common. */
export interface AnalysisFinished {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language: string | null;
  /** Who made the result. */
  engine: Engine;
  /** How the analysis ended, and with what. */
  outcome: Outcome;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef: ContentRef | null;
  /** How much of the document was read. */
  coverage: Coverage | null;
  /** What it cost; null for free engines. */
  usage: Usage | null;
  /** What a reader of the result should know. */
  warnings: string[];
}

/** AnalysisFinished as a producer fills it: what has a default may be left out. */
export interface AnalysisFinishedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** Rises with each re-run, from 1. */
  run: number;
  /** SHA-256 of the cleaned text that offsets refer to, lower-case hex. */
  textSha256: string;
  /** BCP 47 tag of the text’s language, when known. */
  language?: string | null;
  /** Who made the result. */
  engine: EngineInput;
  /** How the analysis ended, and with what. */
  outcome: OutcomeInput;
  /** The result as a claim check (JSON), when it is above 64 KiB. */
  resultRef?: ContentRef | null;
  /** How much of the document was read. */
  coverage?: CoverageInput | null;
  /** What it cost; null for free engines. */
  usage?: UsageInput | null;
  /** What a reader of the result should know. */
  warnings?: string[];
}

/** What the commands to all analyses have in common. */
export interface AnalysisRequested {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId: string;
  /** Event id of what caused this event. */
  causationId: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256: string;
  /** Media type of the document as it arrived. */
  mediaType: string;
  /** Character set that the text was decoded from. */
  charset: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata: Record<string, string>;
  /** Whose turn comes first. */
  priority: Priority;
  /** How the document may be handled. */
  sensitivity: Sensitivity;
  /** Whether progress is to be streamed. */
  stream: boolean;
}

/** AnalysisRequested as a producer fills it: what has a default may be left out. */
export interface AnalysisRequestedInput {
  /** UUID, derived from cause and operation: a repeat carries the same one. */
  eventId: string;
  /** The tenant that owns the document. */
  tenantId: string;
  /** The document; also the record key. */
  documentId: string;
  /** Rises per document; the highest wins. Without a counter: epoch milliseconds. */
  revision: number;
  /** UUIDv5 of tenant, document and revision. */
  jobId: string;
  /** Groups everything that follows from one request. */
  correlationId?: string;
  /** Event id of what caused this event. */
  causationId?: string;
  /** When the fact happened, by its producer’s clock. Epoch milliseconds. */
  occurredAt: number;
  /** The run that is asked for: higher than all before in a re-run, the same as before for deferred work. */
  run: number;
  /** RERUN: somebody asked for a new run. RELEASED: a deferred run may go on. */
  cause?: RequestCause;
  /** Whether an answer that was bought before is bought again. */
  fresh?: boolean;
  /** When the run was asked for first, by the broker’s clock: it goes by the rules of that time. Left out when this command asks first. */
  askedAt?: number | null;
  /** The text, inline: up to 16 KiB of UTF-8 from ingestion; longer from others is processed and counted. (confidential) */
  text?: string | null;
  /** The text as a claim check, when it is not inline. */
  textRef?: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex; empty = derived by the reader. */
  textSha256?: string;
  /** Media type of the document as it arrived. */
  mediaType?: string;
  /** Character set that the text was decoded from. */
  charset?: string | null;
  /** BCP 47 tag, when the producer knows it. */
  language?: string | null;
  /** The producer’s own labels; carried to document.enriched. (confidential) */
  metadata?: Record<string, string>;
  /** Whose turn comes first. */
  priority?: Priority;
  /** How the document may be handled. */
  sensitivity?: Sensitivity;
  /** Whether progress is to be streamed. */
  stream?: boolean;
}
