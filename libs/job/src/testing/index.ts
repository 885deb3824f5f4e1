export { foldDocument, type DocumentFact, type DocumentKey, type DocumentModel } from './document-model.js';
