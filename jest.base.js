// Shared Jest settings: native ESM, TypeScript through SWC, workspace libs read from source.
/**
 * @param {string} name the project's name in reports
 * @returns {import('jest').Config}
 */
export const project = (name) => ({
  displayName: name,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@anabranch/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/(?!.*\\.json\\.js$).*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
});
