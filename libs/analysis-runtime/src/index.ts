export { analysisService, type AnalysisServiceOptions } from './analysis-service.js';
export {
  defineAnalysis,
  inSlices,
  requireLanguage,
  type AnalyseContext,
  type Analysed,
  type AnalysedDocument,
  type AnalysisDefinition,
  type AnalysisName,
  type AnyAnalysis,
  type ResultInputOf,
  type RulesKind,
  type TenantRules,
} from './definition.js';
// An analysis may use the runtime and foundation libs only (house-style §2), so its main.ts gets the host from here.
export { runServices } from '@anabranch/service-host';
