import { status } from '../../server/api.ts';
import { isShared } from './handles.ts';

/** Until the server has said what the caller may do, everything is offered: the server decides in any case. */
export function mayChange(name: string): boolean {
  if (isShared(name)) return false;
  const known = status.value;
  return known === null || known.open || known.caller.scopes.includes('write');
}
