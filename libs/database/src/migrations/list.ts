import { Initial1700000000000 } from './1700000000000-initial.js';

/** All migrations, oldest first. A migration that was released is never changed: add another one. */
export const migrations = [Initial1700000000000] as const;
