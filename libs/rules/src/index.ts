export { checkRules } from './check-rules.js';
export { type Gazetteer, type GazetteerEntry, type GazetteerInput, gazetteerSchema } from './gazetteer.js';
export { inForceAt, type TimedVersion } from './in-force.js';
export { rulesLabels } from './labels.js';
export {
  compilePattern,
  InvalidPattern,
  type Match,
  maxPatternLength,
  maxPatternSteps,
  type Pattern,
} from './pattern.js';
export { rulesConfig, type RulesConfig, rulesTiming } from './rules.config.js';
export { type Rule, type RuleCondition, type Ruleset, type RulesetInput, rulesetSchema } from './ruleset.js';
export { type Taxonomy, type TaxonomyInput, type TaxonomyLabel, taxonomySchema } from './taxonomy.js';
export { rulesId, rulesIdPattern } from './words.js';
