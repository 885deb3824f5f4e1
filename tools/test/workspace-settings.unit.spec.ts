import { describe, expect, test } from '@jest/globals';
import { renderReference } from '../workspace/config-reference.mjs';
import { mergeSettings, type Setting } from '../workspace/settings-catalogue.mjs';

function setting(variable: string, usedBy: string[], more: Partial<Setting> = {}): Setting {
  return { variable, description: 'a value', secret: false, required: false, standard: '', usedBy, ...more };
}

describe('the settings of all services', () => {
  test('name each variable once, with every service that reads it', () => {
    const { settings, faults } = mergeSettings([
      setting('B', ['summary']),
      setting('A', ['summary']),
      setting('B', ['sentiment']),
    ]);
    expect(settings.map(({ variable, usedBy }) => [variable, usedBy])).toEqual([
      ['A', ['summary']],
      ['B', ['summary', 'sentiment']],
    ]);
    expect(faults).toEqual([]);
  });

  test('must be set where one service needs it, also when another may do without', () => {
    const { settings, faults } = mergeSettings([
      setting('B', ['collection'], { required: true }),
      setting('B', ['summary']),
    ]);
    expect(settings).toMatchObject([{ required: true, usedBy: ['collection', 'summary'] }]);
    expect(faults).toEqual([]);
  });

  test('must agree on what a variable means', () => {
    const { faults } = mergeSettings([setting('B', ['summary']), setting('B', ['sentiment'], { standard: '5' })]);
    expect(faults).toEqual([expect.stringContaining('B means one thing in summary and another in sentiment')]);
  });
});

describe('the generated reference', () => {
  const files = renderReference({
    host: [setting('ANABRANCH_LOG_LEVEL', [], { standard: 'info' })],
    services: [
      setting('ANABRANCH_POSTGRES_URL', ['collection'], { required: true, secret: true, description: 'a | b' }),
    ],
    launcher: [setting('ANABRANCH_KAFKA_PORT', [])],
    compose: ['ANABRANCH_POSTGRES_PASSWORD'],
    faults: [],
  });

  test('says of each setting what to set it to, what it is otherwise, and who reads it', () => {
    const text = files.get('docs/configuration.md');
    expect(text).toContain('| `ANABRANCH_POSTGRES_URL` | a \\| b (secret) | **must be set** | all |');
    expect(text).toContain('| `ANABRANCH_LOG_LEVEL` | a value | `info` |\n');
  });

  test('gives an example in which only what must be set is not commented out', () => {
    const lines = files
      .get('.env.example')
      ?.split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual(['ANABRANCH_POSTGRES_URL=']);
  });

  test('makes every name known to the host, so that one environment can serve all processes', () => {
    const text = files.get('libs/service-host/src/known-settings.generated.ts');
    for (const name of ['LOG_LEVEL', 'POSTGRES_URL', 'KAFKA_PORT', 'POSTGRES_PASSWORD']) {
      expect(text).toContain(`  'ANABRANCH_${name}',\n`);
    }
  });
});
