export { type Behaviour, type BehaviourInput, behaviourSchema, type ScriptInput } from './behaviour.js';
export type { CallCounts, LoggedCall } from './call-log.js';
export { type FakeServer, type FakeServerOptions, startFakeServer } from './fake-server.js';
export { createReplayingModel, type Replay, type ReplayingModel, replyOf } from './replaying-model.js';
export { answerFor, documentIn } from './schema-answer.js';
export { slowDelayMs } from './slow-delay.js';
