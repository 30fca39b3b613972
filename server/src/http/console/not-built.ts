import { FrameholdError } from '../../model/errors.ts';

export function notBuilt(): FrameholdError {
  return new FrameholdError('route_not_found', 'The console of this server has not been built.', {
    hint: 'Run npm run build and restart the server. GET /v1/openapi.json lists all other routes.',
  });
}
