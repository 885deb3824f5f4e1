export {
  getRules,
  listRules,
  readVersions,
  type RulesKey,
  type RulesKind,
  type RulesScope,
  type RulesVersion,
  type RulesVersionInfo,
  type RulesVersions,
  type StoredRules,
} from './read.js';
export {
  maxRulesBytes,
  maxRulesPerKind,
  putRules,
  RulesVersionMoved,
  TooManyRules,
  withdrawRules,
  type RulesChange,
  type StoredVersion,
} from './write.js';
export { openRulesReader, type RulesReader } from './rules-reader.js';
