// Our own lint rules, for what neither oxlint nor Nx's boundary rule can express. Loaded by .oxlintrc.json.
import { clientOwnership } from './client-ownership.mjs';
import { namedExports } from './named-exports.mjs';
import { parameterCount } from './parameter-count.mjs';
import { processEnvironment } from './process-environment.mjs';

export default {
  meta: { name: 'anabranch' },
  rules: {
    'client-ownership': clientOwnership,
    'named-exports': namedExports,
    'parameter-count': parameterCount,
    'process-environment': processEnvironment,
  },
};
