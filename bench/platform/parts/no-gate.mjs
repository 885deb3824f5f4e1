// The same without the ledger, to see what the gate costs.
import { measureThroughput } from './throughput.mjs';

export const help = 'the same without the ledger';

export const run = (options) => measureThroughput(options, false);
