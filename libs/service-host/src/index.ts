export { closeOrder, defineService } from './service.js';
export type { HttpOptions, Launch, ServiceContext, ServiceDefinition, ServiceModule } from './service.js';
export type { HealthCheck, HealthRegistration, HealthState } from './health.js';
export type { Logger } from './logging.js';
export { repeatStep, type RepeatedStep } from './repeated-step.js';
export { runServices } from './run-services.js';
