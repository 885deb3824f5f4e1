export { listenForAnswers } from './answer-listener.js';
export type { ClaimAnswer, StoredAnswer } from './claims.js';
export { createLedger, type Ledger, type LedgerOptions, type Purchase } from './ledger.js';
export { openLedgerStore, type LedgerStore } from './ledger-store.js';
export { expectedPurchase, operationKeyOf, type LedgerRun, type Operation } from './operation.js';
export { PinnedOtherwise, type Pin } from './pins.js';
export { sweepLedger } from './retention.js';
