/** The first puts of a log, as many as another one continues. */
export interface LogPiece {
  readonly log: number;
  readonly count: number;
}

/** Where a part is. */
export interface PartPlace {
  readonly log: number;
  readonly seq: number;
  /** Rows of a version before it, those of the logs that its log continues included. */
  readonly firstRow: number;
}

/** A log of which versions have gone. */
export interface TrimmedLog {
  /** Where its longest kept version ends; null if no version is left. */
  readonly ownEnd: number | null;
  /** What it continues. */
  readonly base: LogPiece | null;
  /** Logs that continue it, each with how many of its puts. */
  readonly children: readonly LogPiece[];
}

export interface LogTrim {
  /** Parts from here on go: no version and no other log needs them. */
  readonly needed: number;
  /** A version that has gone no longer keeps the parts on both sides of its end apart. */
  readonly mayCompact: boolean;
  /** A log that nothing needs any more goes, and then what it continued is trimmed. */
  readonly removed: { readonly base: LogPiece } | null;
  /** The one log that continues it takes over its parts, and what it continued. */
  readonly joined: { readonly child: number; readonly base: LogPiece | null } | null;
}

/**
 * What becomes of a log: it keeps the parts up to its longest kept version and to what other logs continue. A log without versions of its own goes
 * once nothing continues it, and becomes part of the other if one log alone does: so there are never more than twice as many logs as versions.
 */
export function trimOf({ ownEnd, base, children }: TrimmedLog): LogTrim {
  const needed = Math.max(ownEnd ?? 0, ...children.map(({ count }) => count));
  const [child] = children;
  const isOver = ownEnd === null;
  return {
    needed,
    mayCompact: needed > 1,
    removed: isOver && child === undefined && base !== null ? { base } : null,
    joined: isOver && child !== undefined && children.length === 1 ? { child: child.log, base } : null,
  };
}
