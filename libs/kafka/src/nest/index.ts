// Apart from the rest: Nest takes most of the time in which a bare consumer starts.
export { KafkaStrategy, type KafkaStrategyOptions, type TopicList } from './kafka-strategy.js';
export { OnEvent, OnTopics, type RecordContext } from './on-event.js';
