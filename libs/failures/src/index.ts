export {
  failureCodes,
  isFailureCode,
  type CodeOf,
  type FailureClass,
  type FailureCode,
  type PoisonCode,
  type RefusedCode,
  type RetryCode,
  type StopCode,
} from './codes.js';
export {
  DependencyUnavailable,
  PoisonMessage,
  Refused,
  RetryLater,
  StopService,
  type KnownFailure,
  type SharedDependency,
} from './failures.js';
export { actionFor, describeFailure, isFailure, type Action } from './action.js';
