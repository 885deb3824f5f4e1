import { describe, expect, it } from '@jest/globals';
import { launcherSettings, readSettings } from '../stack/settings.mjs';

describe("the launcher's settings", () => {
  it('have standard ports that do not clash with each other', () => {
    const { ports } = readSettings({ HOME: '/nowhere' });
    expect(new Set(Object.values(ports)).size).toBe(6);
    expect(ports.http).toBe(8080);
  });

  it('report all faults together, each with its variable', () => {
    const env = { ANABRANCH_HTTP_PORT: 'eighty', ANABRANCH_KAFKA_PORT: '99999', ANABRANCH_POSTGRES_PORT: '18081' };
    expect(() => readSettings(env)).toThrow(
      /ANABRANCH_HTTP_PORT is "eighty".*ANABRANCH_KAFKA_PORT.*ANABRANCH_POSTGRES_PORT and ANABRANCH_REGISTRY_PORT are both 18081/s,
    );
  });

  it('are not handed on to the services, while all other settings are', () => {
    const own = Object.fromEntries(
      launcherSettings.map(({ variable }) => [variable, variable.endsWith('PORT') ? '' : '/x']),
    );
    const test = { ANABRANCH_TEST_KAFKA: 'x', ANABRANCH_E2E_STATE: 'x' };
    const { environment } = readSettings({ ...own, ...test, ANABRANCH_LOG_LEVEL: 'debug', PATH: '/bin' });
    expect(environment).toEqual({ ANABRANCH_LOG_LEVEL: 'debug', PATH: '/bin' });
  });

  it('keep the state in the checkout, unless told otherwise', () => {
    expect(readSettings({ HOME: '/nowhere' }, { root: '/repo' }).stateDir).toBe('/repo/.anabranch');
    expect(readSettings({ ANABRANCH_STATE_DIR: '/elsewhere' }).stateDir).toBe('/elsewhere');
  });

  it('keep downloads in the state folder when there is no home to write to', () => {
    expect(readSettings({ HOME: process.execPath }, { root: '/repo' }).cacheDir).toBe('/repo/.anabranch/cache');
  });
});
