import { describe, expect, test } from '@jest/globals';
import { findCycle, type Project } from '../workspace/projects.mjs';
import { expectedReferences } from '../workspace/sync.mjs';

function project(folder: string, dependencies: string[] = []): Project {
  const shortName = folder.split('/')[1] ?? '';
  return { folder, shortName, name: `@anabranch/${shortName}`, tags: [], dependencies, manifest: {} };
}

describe('project references', () => {
  test('follow the workspace dependencies of package.json, across libs and services', async () => {
    const files = await expectedReferences([
      project('libs/text'),
      project('libs/runtime', ['@anabranch/text']),
      project('services/summary', ['@anabranch/text', '@anabranch/runtime']),
    ]);
    expect(JSON.parse(files.get('libs/runtime/tsconfig.json') ?? '')).toMatchObject({
      extends: '../../tsconfig.build.base.json',
      references: [{ path: '../text' }],
    });
    expect(JSON.parse(files.get('services/summary/tsconfig.json') ?? '')).toMatchObject({
      references: [{ path: '../../libs/runtime' }, { path: '../../libs/text' }],
    });
    expect(JSON.parse(files.get('tsconfig.build.json') ?? '')).toEqual({
      files: [],
      references: [{ path: 'libs/text' }, { path: 'libs/runtime' }, { path: 'services/summary' }],
    });
  });

  test('cannot go round in a circle', () => {
    const circle = [
      project('libs/a', ['@anabranch/b']),
      project('libs/b', ['@anabranch/c']),
      project('libs/c', ['@anabranch/b']),
    ];
    expect(findCycle(circle)).toEqual(['@anabranch/b', '@anabranch/c', '@anabranch/b']);
    expect(findCycle(circle.slice(2))).toEqual([]);
  });
});
