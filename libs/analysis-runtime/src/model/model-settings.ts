import { databaseConfig, ledgerConfig } from '@anabranch/database/config';
import { type ModelConfig, modelConfig } from '@anabranch/language-model';
import { z } from 'zod';
import type { AnyAnalysis } from '../define-analysis.js';
import type { ModelChoice } from './model-calls.js';

type Named = Pick<AnyAnalysis, 'name'>;

/** `entity-extraction` -> `entityExtractionEngine`, which is `ANABRANCH_ENTITY_EXTRACTION_ENGINE`. */
const keyOf = ({ name }: Named, what: 'Engine' | 'Model'): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) + what;

const switchOf = ({ name }: Named): string => `ANABRANCH_${name.replaceAll('-', '_').toUpperCase()}_ENGINE`;

const ownSettings = (definition: Named) => ({
  [keyOf(definition, 'Engine')]: z
    .enum(['embedded', 'model'])
    .default('embedded')
    .describe(`who does ${definition.name}: the embedded engine, or a language model (docs/models.md)`),
  [keyOf(definition, 'Model')]: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(`the model for ${definition.name}, instead of ANABRANCH_MODEL`),
});

/** The ledger's. An analysis that needs Postgres for its model alone starts without it while it uses none. */
const databaseSettings = (config: z.ZodObject) => ({
  ...databaseConfig.shape,
  ...ledgerConfig.shape,
  postgresUrl:
    'postgresUrl' in config.shape ? databaseConfig.shape.postgresUrl : databaseConfig.shape.postgresUrl.optional(),
});

type Settings = ModelConfig & { postgresUrl?: string } & Record<string, unknown>;

/** Which model an analysis asks, as far as it is configured. */
const modelFor = (definition: Named, settings: Settings): string | undefined =>
  (settings[keyOf(definition, 'Model')] as string | undefined) ?? settings.model;

/** Whether an analysis is switched to a model. */
export function usesModel(definition: Named, settings: object): boolean {
  return (settings as Settings)[keyOf(definition, 'Engine')] === 'model';
}

/** An analysis' settings, with those of a model and its ledger where it can use one. */
export function withModelSettings(config: z.ZodObject, definition: AnyAnalysis): z.ZodObject {
  if (definition.languageModel === undefined) return config;
  return config
    .safeExtend({ ...modelConfig.shape, ...databaseSettings(config), ...ownSettings(definition) })
    .superRefine((given, { addIssue }) => {
      const settings = given as Settings;
      if (!usesModel(definition, settings)) return;
      const { modelBaseUrl, postgresUrl } = settings;
      const needed = { modelBaseUrl, model: modelFor(definition, settings), postgresUrl };
      for (const [key, value] of Object.entries(needed)) {
        if (value === undefined)
          addIssue({ code: 'custom', path: [key], message: `${switchOf(definition)} is "model"` });
      }
    });
}

/** What is configured for an analysis that is switched to a model: see `withModelSettings`. */
export function choiceFrom(definition: Named, settings: object): Omit<ModelChoice, 'promptVersion'> {
  const { modelProvider: provider, modelTemperature, modelChunkCharacters: chunkCharacters } = settings as Settings;
  const model = modelFor(definition, settings as Settings) ?? '';
  return { provider, model, temperature: modelTemperature === 'provider' ? null : modelTemperature, chunkCharacters };
}
