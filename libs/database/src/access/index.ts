export {
  createApiKey,
  createTenant,
  defaultScopes,
  findApiKey,
  hashApiKey,
  type Access,
  type CreatedApiKey,
  type NewApiKey,
} from './access.js';
