import { type ModelConfig, modelConfig } from '@anabranch/language-model';
import { z } from 'zod';
import type { AnyAnalysis } from '../define-analysis.js';
import type { ModelChoice } from './model-calls.js';

/** `entity-extraction` -> `entityExtractionEngine`, which is `ANABRANCH_ENTITY_EXTRACTION_ENGINE`. */
const keyOf = (analysis: string, what: 'Engine' | 'Model'): string =>
  analysis.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) + what;

const ownSettings = ({ name }: Pick<AnyAnalysis, 'name'>) =>
  z.object({
    [keyOf(name, 'Engine')]: z
      .enum(['embedded', 'model'])
      .default('embedded')
      .describe(`who does ${name}: the embedded engine, or the language model (docs/models.md)`),
    [keyOf(name, 'Model')]: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe(`the model for ${name}, instead of ANABRANCH_MODEL`),
  });

type Settings = ModelConfig & Record<string, unknown>;

/** Which model an analysis asks, as far as it is configured. */
const modelFor = (name: string, settings: Settings): string | undefined =>
  (settings[keyOf(name, 'Model')] as string | undefined) ?? settings.model;

/** Whether an analysis is switched to a model. */
export function usesModel({ name }: Pick<AnyAnalysis, 'name'>, settings: object): boolean {
  return (settings as Settings)[keyOf(name, 'Engine')] === 'model';
}

/** An analysis' settings, with those of a model where it can use one. */
export function withModelSettings(config: z.ZodObject, definition: AnyAnalysis): z.ZodObject {
  if (definition.languageModel === undefined) return config;
  const engine = keyOf(definition.name, 'Engine');
  const hasAll = (settings: unknown): boolean => {
    const { modelBaseUrl } = settings as Settings;
    if (!usesModel(definition, settings as object)) return true;
    return modelBaseUrl !== undefined && modelFor(definition.name, settings as Settings) !== undefined;
  };
  const message = 'needs ANABRANCH_MODEL_BASE_URL and ANABRANCH_MODEL';
  return config.safeExtend({ ...modelConfig.shape, ...ownSettings(definition).shape }).refine(hasAll, {
    path: [engine],
    message,
  });
}

/** What is configured for an analysis that is switched to a model: see `withModelSettings`. */
export function choiceFrom({ name }: Pick<AnyAnalysis, 'name'>, settings: object): Omit<ModelChoice, 'promptVersion'> {
  const { modelProvider: provider, modelTemperature, modelChunkCharacters: chunkCharacters } = settings as Settings;
  const model = modelFor(name, settings as Settings) ?? '';
  return { provider, model, temperature: modelTemperature === 'provider' ? null : modelTemperature, chunkCharacters };
}
