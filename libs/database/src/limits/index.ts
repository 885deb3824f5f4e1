export { AcceptanceLimitReached, type AcceptanceLimit, type AcceptanceLimits } from './acceptance-limits.js';
