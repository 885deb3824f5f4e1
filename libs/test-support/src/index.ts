export { NodeChild } from './child-process.js';
export type { ChildExit, ChildOptions, LogLine } from './child-process.js';
export { eventually } from './eventually.js';
export { analysisFinished, documentIngested } from './events.js';
export { TcpProxy } from './tcp-proxy.js';
export type { Relay } from './tcp-proxy.js';
export { testAddress, uniqueName } from './test-environment.js';
export type { TestDependency } from './test-environment.js';
