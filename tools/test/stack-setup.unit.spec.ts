import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isInstalled } from '../stack/setup/install.mjs';
import { featureOf, findJava } from '../stack/setup/java.mjs';
import { requirePrerequisites } from '../stack/setup/prerequisites.mjs';
import { readSettings } from '../stack/settings.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anabranch-setup-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('the installed packages', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'libs/text': { version: '0.1.0' },
      'node_modules/avsc': { version: '5.7.9', integrity: 'sha512-a' },
      'node_modules/fsevents': { version: '2.3.3', integrity: 'sha512-f', optional: true },
    },
  };
  const installed = { packages: { 'node_modules/avsc': { version: '5.7.9', integrity: 'sha512-a' } } };

  beforeEach(() => {
    write('package-lock.json', lock);
    write('node_modules/.bin/node', '');
  });

  it('are left alone when they are those of the lock file; packages for other platforms may be absent', () => {
    write('node_modules/.package-lock.json', installed);
    expect(isInstalled(folder)).toBe(true);
  });

  it.each([
    ['another version', { 'node_modules/avsc': { version: '5.7.8', integrity: 'sha512-a' } }],
    ['other bytes', { 'node_modules/avsc': { version: '5.7.9', integrity: 'sha512-b' } }],
    ['a package that is absent', {}],
  ])('are installed again over %s', (_what, packages) => {
    write('node_modules/.package-lock.json', { packages });
    expect(isInstalled(folder)).toBe(false);
  });

  it('are installed where there are none', () => {
    expect(isInstalled(folder)).toBe(false);
  });
});

describe('Java', () => {
  it.each([
    ['25.0.3', 25],
    ['21-ea', 21],
    ['17.0.15+6', 17],
    ['1.8.0_402', 8],
  ])('%s has the feature version %i', (version, feature) => {
    expect(featureOf(version)).toBe(feature);
  });

  it('is the newest that is found, wherever it lies', () => {
    for (const [name, version] of [
      ['old', '11.0.2'],
      ['new', '99.0.1'],
    ]) {
      write(`${name}/bin/java`, '');
      write(`${name}/release`, `IMPLEMENTOR="x"\nJAVA_VERSION="${version}"\n`);
    }
    const { best } = findJava({ JAVA_HOME: join(folder, 'old'), PATH: join(folder, 'new', 'bin') });
    expect(best).toMatchObject({ version: '99.0.1', feature: 99 });
  });
});

describe('a machine that lacks something', () => {
  it('is told everything at once, and how to install it', () => {
    const settings = readSettings({ ANABRANCH_CACHE_DIR: join(folder, 'cache') });
    expect(() => requirePrerequisites(settings, { PATH: folder })).toThrow(
      /Maven.*apt-get install .*maven.*brew install .*maven/s,
    );
  });

  it('needs no Maven when Kafka and the registry are there already', () => {
    const settings = readSettings({ ANABRANCH_CACHE_DIR: join(folder, 'cache') });
    for (const artifact of ['kafka-4.4.0', 'apicurio-registry-3.3.3'])
      mkdirSync(join(folder, 'cache', artifact), { recursive: true });
    write('jdk/bin/java', '');
    write('jdk/release', 'JAVA_VERSION="99.0.1"\n');
    expect(requirePrerequisites(settings, { PATH: join(folder, 'jdk', 'bin') })).toMatchObject({ feature: 99 });
  });
});
