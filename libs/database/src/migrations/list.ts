import { Initial1700000000000 } from './1700000000000-initial.js';
import { Rules1764436000000 } from './1764436000000-rules.js';
import { OutboxFailure1764440000000 } from './1764440000000-outbox-failure.js';
import { Commands1764444000000 } from './1764444000000-commands.js';
import { Timers1764448000000 } from './1764448000000-timers.js';
import { Ledger1764452000000 } from './1764452000000-ledger.js';
import { Grace1764456000000 } from './1764456000000-grace.js';
import { TenantRows1764458000000 } from './1764458000000-tenant-rows.js';
import { IdempotencyKeys1764460000000 } from './1764460000000-idempotency-keys.js';
import { OutboxTurns1764464000000 } from './1764464000000-outbox-turns.js';
import { DeferredShown1764472000000 } from './1764472000000-deferred-shown.js';
import { UnknownOutcomes1764474000000 } from './1764474000000-unknown-outcomes.js';
import { LedgerFunctions1764476000000 } from './1764476000000-ledger-functions.js';
import { TenantWaits1764478000000 } from './1764478000000-tenant-waits.js';
import { DeferredByBegin1764480000000 } from './1764480000000-deferred-by-begin.js';
import { LedgerTimes1764488000000 } from './1764488000000-ledger-times.js';
import { TenantWrites1764492000000 } from './1764492000000-tenant-writes.js';
import { PinAndClaim1764496000000 } from './1764496000000-pin-and-claim.js';
import { AskedAt1764500000000 } from './1764500000000-asked-at.js';
import { RequestedOnly1764504000000 } from './1764504000000-requested-only.js';

/** All migrations, oldest first. A migration that was released is never changed: add another one. */
export const migrations = [
  Initial1700000000000,
  Rules1764436000000,
  OutboxFailure1764440000000,
  Commands1764444000000,
  Timers1764448000000,
  Ledger1764452000000,
  Grace1764456000000,
  TenantRows1764458000000,
  IdempotencyKeys1764460000000,
  OutboxTurns1764464000000,
  DeferredShown1764472000000,
  UnknownOutcomes1764474000000,
  LedgerFunctions1764476000000,
  TenantWaits1764478000000,
  DeferredByBegin1764480000000,
  LedgerTimes1764488000000,
  TenantWrites1764492000000,
  PinAndClaim1764496000000,
  AskedAt1764500000000,
  RequestedOnly1764504000000,
] as const;
