export { listAnalyses, upsertAnalyses, type CatalogueEntry } from './catalogue.js';
