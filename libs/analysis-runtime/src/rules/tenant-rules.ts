import type { RefusedCode } from '@anabranch/failures';
import type { Gazetteer, Ruleset, Taxonomy } from '@anabranch/rules';

/** What an analysis gets of a tenant's own rules, by kind: one taxonomy, one ruleset, the entries of all gazetteers. */
export interface TenantRules {
  taxonomy: Taxonomy;
  ruleset: Ruleset;
  gazetteer: Pick<Gazetteer, 'entries'>;
}

export type RulesKind = keyof TenantRules;

/** Whose rules, and as of when. */
export interface RulesQuery {
  tenantId: string;
  /** May name a taxonomy or ruleset: see `rulesLabels`. */
  metadata: Readonly<Record<string, string>>;
  /** Broker timestamp of the job's `document.ingested`, epoch milliseconds. */
  at: number;
}

/** The rules that a document is judged by. */
export interface RulesInForce<K extends RulesKind = RulesKind> {
  /** Names these versions of the tenant: the same key, the same content. */
  key: string;
  /** Null: the tenant has none, and the analysis uses its own. */
  rules: TenantRules[K] | null;
}

/** The document names rules that there are not. */
export interface RulesRefusal {
  refusal: { code: RefusedCode; message: string };
}

/** Finds a document's rules. The same query has the same answer, whenever it is asked and wherever. */
export interface RulesPort<K extends RulesKind = RulesKind> {
  /**
   * @throws Refused UNKNOWN_TAXONOMY, UNKNOWN_RULESET when the document names one that its tenant did not have then;
   *   DependencyUnavailable when Postgres does not answer and would have to be asked
   */
  inForce(query: RulesQuery): Promise<RulesInForce<K>>;
}
