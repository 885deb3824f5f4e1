export { findIdentifiers, scanIdentifiers } from './find-identifiers.js';
export {
  type Identifier,
  identifierFamilies,
  type IdentifierFamily,
  type IdentifierType,
  type Validator,
} from './identifier.js';
export { maskIdentifier, normalizeIdentifier } from './mask-identifier.js';
