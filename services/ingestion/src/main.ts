import { runServices } from '@anabranch/service-host';
import { service } from './service.js';

await runServices([service]);
