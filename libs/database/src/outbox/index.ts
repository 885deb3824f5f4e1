export { createRelay, type Relay, type RelayOptions, type RelayProducer } from './relay.js';
