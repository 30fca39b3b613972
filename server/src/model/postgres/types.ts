import { systemTypes } from './system-types.ts';

/** As answers announce it. */
export interface SystemType {
  readonly oid: number;
  /** `typlen`. */
  readonly size: number;
}

const types: ReadonlyMap<string, SystemType> = new Map(
  systemTypes
    .trim()
    .split('\n')
    .map((line) => {
      const [oid, name = '', , size] = line.split(' ');
      return [name, { oid: Number(oid), size: Number(size) }];
    }),
);

/** By the name that pg_type has. */
export function systemType(name: string): SystemType | null {
  return types.get(name) ?? null;
}
