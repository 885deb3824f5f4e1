import type { PoisonCode } from '@anabranch/failures';
import type { AnalysedOutcome, AnalysisTask } from '../analyse-document.js';

/** One document for the worker thread. */
export interface WorkerRequest extends AnalysisTask {
  /** URL of the module that exports the definition, and the definition's name. */
  module: string;
  name: string;
  /** In code points; for this document, whatever the definition says. */
  maxCharacters: number;
}

/** What the worker thread says to it: an outcome, or why there is none. Errors lose their class between threads. */
export type WorkerReply =
  | { kind: 'outcome'; outcome: AnalysedOutcome }
  | { kind: 'poison'; code: PoisonCode; message: string }
  | { kind: 'bug'; message: string; stack: string };
