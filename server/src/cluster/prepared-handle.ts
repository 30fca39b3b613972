import { defaultEngine, type EngineName, engineNames } from '../model/engine-name.ts';
import { randomId } from '../model/handle.ts';

/**
 * The handle of a new prepared statement. It says which engine the statement was prepared for, so that tables need no column for it. The whole handle is
 * what a statement is found by: with another engine in it there is none.
 */
export function preparedHandle(engine: EngineName): string {
  return engine === defaultEngine ? randomId() : `${engine}-${randomId()}`;
}

export function engineOfHandle(handle: string): EngineName {
  return engineNames.find((engine) => handle.startsWith(`${engine}-`)) ?? defaultEngine;
}
