export { MemoryBroker } from './memory-broker.js';
export { settled, VirtualClock } from './virtual-clock.js';
