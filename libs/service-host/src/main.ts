import { loadServices } from './load-services.js';
import { runServices } from './run-services.js';

// Compact mode: several services in one process. node libs/service-host/dist/main.js ingestion collection …
await runServices(await loadServices(process.argv.slice(2), new URL('../../../services/', import.meta.url)));
