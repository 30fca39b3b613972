import { badArgument } from '../errors.ts';

/** How far the rows of a frame were read. */
export interface Position {
  /** All rows of this version were read; 0: none of any. */
  readonly after: number;
  /** What was being read then: the rows up to this version. */
  readonly until?: number;
  /** So many of these. */
  readonly rows: number;
}

const pattern = /^(0|[1-9][0-9]{0,14})(?:\.\.([1-9][0-9]{0,14})\+([1-9][0-9]{0,14}))?$/;

/** `20`, or `12..20+500`: the first 500 of the rows that `name@12..20` has. */
export function parsePosition(since: number | string): Position {
  const [, after, until, rows] = pattern.exec(String(since)) ?? [];
  if (after === undefined)
    throw badArgument(
      `since is a version or the position of a batch, not ${JSON.stringify(since)}.`,
      'Write since: 0 for all rows, since: 12 for those after version 12, or give the position of the last batch.',
    );
  if (until === undefined) return { after: Number(after), rows: 0 };
  return { after: Number(after), until: Number(until), rows: Number(rows) };
}

export function formatPosition({ after, until, rows }: Position): string {
  return rows === 0 ? `${after}` : `${after}..${until}+${rows}`;
}

/** What is asked for next. The end is named if it is known: another one could have other rows before it. */
export function handleAfter(name: string, { after, until }: Position): string {
  return `${name}@${after}..${until ?? ''}`;
}
