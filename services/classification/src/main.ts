import { runServices } from '@anabranch/analysis-runtime';
import { service } from './service.js';

await runServices([service]);
