import { databaseConfig } from '@anabranch/database/config';
import { rulesConfig, rulesTiming } from '@anabranch/rules';
import { closeOrder, type ServiceContext } from '@anabranch/service-host';
import { z } from 'zod';
import type { AnyAnalysis } from '../define-analysis.js';
import { createRulesInForce } from './rules-in-force.js';
import type { RulesPort } from './tenant-rules.js';

const rulesSettings = z.object({ ...databaseConfig.pick({ postgresUrl: true }).shape, ...rulesConfig.shape });

type RulesSettings = z.infer<typeof rulesSettings>;

/** An analysis' settings, with those that its rules need. */
export function withRulesSettings(config: z.ZodObject, { rules }: Pick<AnyAnalysis, 'rules'>): z.ZodObject {
  if (rules === undefined) return config;
  const isMet = (settings: unknown): boolean => rulesTiming.isMet(settings as RulesSettings);
  return config.extend(rulesSettings.shape).refine(isMet, rulesTiming.params);
}

const warnEveryMs = 60_000;

/**
 * Where an analysis finds its tenants' rules; null when it declares none. It connects to Postgres when it first asks, and
 * an analysis without rules does not even load the client.
 */
export async function openRules(definition: AnyAnalysis, context: ServiceContext<object>): Promise<RulesPort | null> {
  const { rules: kind, name } = definition;
  if (kind === undefined) return null;
  const { postgresUrl, rulesCacheMs } = context.config as RulesSettings;
  const { openRulesReader } = await import('@anabranch/database/rules');
  const reader = openRulesReader({ postgresUrl }, { name: `anabranch ${name}` });
  context.onClose(() => reader.close(), { order: closeOrder.stores, name: 'rules' });
  let warnAgainAt = 0;
  const onClockSkew = (aheadMs: number): void => {
    if (performance.now() < warnAgainAt) return;
    warnAgainAt = performance.now() + warnEveryMs;
    const message = 'the clock of Kafka is ahead of that of Postgres: a change of rules may count later than it says';
    context.log.warn({ aheadMs }, message);
  };
  return createRulesInForce({ kind, reader, cacheMs: rulesCacheMs, onClockSkew });
}
