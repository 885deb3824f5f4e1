import { describe, expect, it } from '@jest/globals';
import { modelConfig } from '../src/index.js';

describe('the settings of a model', () => {
  it('ask for nothing while no analysis uses one', () => {
    const settings = modelConfig.parse({});
    expect(settings.modelBaseUrl).toBeUndefined();
    expect(settings).toMatchObject({ modelProvider: 'openai-compatible', modelTemperature: 0 });
  });

  it('are read as they stand in the environment', () => {
    const settings = modelConfig.parse({
      modelBaseUrl: 'http://127.0.0.1:11434/v1',
      model: 'qwen3:8b',
      modelTemperature: 'provider',
      modelTimeoutMs: '30000',
    });
    expect(settings).toMatchObject({ modelTemperature: 'provider', modelTimeoutMs: 30_000 });
    expect(modelConfig.parse({ modelTemperature: '0.2' }).modelTemperature).toBe(0.2);
  });

  it.each([
    ['modelBaseUrl', 'ftp://models.example'],
    ['modelBaseUrl', 'https://user:password@models.example/v1'],
    ['modelApiKey', 'two\nlines'],
    ['modelApiKey', 'two words'],
    ['modelTimeoutMs', '300001'],
    ['modelTemperature', 'warm'],
  ])('refuse %s=%j', (name, value) => {
    expect(modelConfig.safeParse({ [name]: value }).success).toBe(false);
  });
});
