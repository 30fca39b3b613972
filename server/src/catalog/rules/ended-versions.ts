/** A version that is ending, and what it may leave unneeded. */
export interface EndedVersion {
  readonly version: number;
  readonly log: number;
  readonly schema_id: number;
}

export interface LeftByVersions {
  /** Parts behind their longest kept version are no longer needed. */
  readonly logs: ReadonlySet<number>;
  readonly schemas: ReadonlySet<number>;
}

export function leftBy(ended: readonly EndedVersion[]): LeftByVersions {
  return {
    logs: new Set(ended.map(({ log }) => log)),
    schemas: new Set(ended.map(({ schema_id }) => schema_id)),
  };
}

/** Ascending versions as runs without gaps, so that a long history takes few tombstones. */
export function runsOf(versions: readonly EndedVersion[]): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (const { version } of versions) {
    const open = found.at(-1);
    if (open && open[1] === version - 1) open[1] = version;
    else found.push([version, version]);
  }
  return found;
}
