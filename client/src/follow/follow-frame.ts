import type { Manifest } from '../answers.ts';
import type { CallOptions } from '../call-options.ts';
import { badArgument, FrameholdError } from '../errors.ts';
import { isPassing, waitMs } from '../events/events.ts';
import { pathPart, pause, type Transport } from '../transport.ts';
import { FrameWakes, type OnDisconnected } from './frame-wakes.ts';
import { type Position, parsePosition } from './position.ts';

export interface FollowOptions extends CallOptions {
  /** A version, or the `position` of a batch: only rows after it. 0: all rows. Default: rows that are added from now on. */
  readonly since?: number | string;
  readonly columns?: readonly string[];
  /** Ends after so many rows. */
  readonly limit?: number;
  /** Ends after so long without a new row; 0: with the last row that there is. Default: never. */
  readonly timeoutMs?: number;
  /** The connection was lost, and is made again after so long. */
  readonly onDisconnected?: OnDisconnected;
}

/** Rows that were read, if any, and how far this came. */
interface Step<Item> {
  readonly item: Item | null;
  readonly rowCount: number;
  readonly position: Position;
}

/** Reads once what there is after a position, at most so many rows. The last step has the end of what was asked for, even if there was no row. */
export type ReadAfter<Item> = (
  position: Position,
  rowsMax: number | undefined,
) => AsyncGenerator<Step<Item>, void, void>;

/** Answers that break off without a row: a server that restarts breaks one or two, rows that cannot be read break all. */
const brokenMax = 3;

/**
 * Every row once and in order, also over restarts of the server. Ends as the options say, or with an error that waiting does not solve, such as
 * `not_append_only` and `position_unknown`.
 */
export async function* followFrame<Item>(
  transport: Transport,
  name: string,
  read: ReadAfter<Item>,
  options: FollowOptions,
): AsyncGenerator<Item, void, void> {
  const { since, limit = Number.POSITIVE_INFINITY, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  checkName(name);
  let position = since === undefined ? null : parsePosition(since);
  let rowsLeft = limit;
  if (rowsLeft <= 0) return;
  // Whoever does not wait need not be woken.
  const wakes = timeoutMs > 0 ? new FrameWakes(transport, name, options.onDisconnected) : null;
  const patience = new Patience();
  let deadline = performance.now() + timeoutMs;
  const leftMs = () => Math.max(0, deadline - performance.now());
  try {
    for (;;) {
      try {
        position ??= await newestPosition(transport, name, signal);
        // What lies behind an end that was given is not known yet.
        const hasEnd: boolean = position.until !== undefined;
        for await (const step of read(position, Number.isFinite(rowsLeft) ? rowsLeft : undefined)) {
          position = step.position;
          rowsLeft -= step.rowCount;
          patience.restore();
          if (step.item === null) continue;
          yield step.item;
          if (rowsLeft <= 0) return;
          deadline = performance.now() + timeoutMs;
        }
        if (hasEnd || position.rows > 0) continue;
        if (wakes === null || !(await wakes.next(leftMs(), signal))) return;
      } catch (thrown) {
        signal?.throwIfAborted();
        if (!(thrown instanceof FrameholdError) || leftMs() === 0) throw thrown;
        if (isAwaited(thrown, position)) {
          position = beginning;
          if (wakes === null || !(await wakes.next(leftMs(), signal))) throw thrown;
        } else await pause(Math.min(patience.waitMsAfter(thrown), leftMs()), signal);
      }
    }
  } finally {
    await wakes?.end();
  }
}

const beginning: Position = { after: 0, rows: 0 };

/** A frame that does not exist yet. One that rows were read of has ended: what comes under its name is another. */
function isAwaited({ code }: FrameholdError, position: Position | null): boolean {
  const isAtBeginning = position === null || (position.after === 0 && position.rows === 0);
  return isAtBeginning && (code === 'frame_not_found' || code === 'frame_gone');
}

async function newestPosition(
  transport: Transport,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Position> {
  const { version } = await transport.json<Manifest>(`v1/frames/${pathPart(name)}`, { signal });
  return { after: version, rows: 0 };
}

function checkName(name: string): void {
  if (name.includes('@'))
    throw badArgument(
      `${JSON.stringify(name)} is not the name of a frame.`,
      "A name is followed, and since says from where on: follow('trades', { since: 12 }).",
    );
}

/** How long failures are borne that come one after the other. */
class Patience {
  #failures = 0;
  #broken = 0;

  restore(): void {
    this.#failures = 0;
    this.#broken = 0;
  }

  /** When to try again; an error that waiting does not solve is thrown. */
  waitMsAfter(error: FrameholdError): number {
    const isBroken = error.code === 'incomplete_answer';
    if (isBroken ? ++this.#broken > brokenMax : !isPassing(error)) throw error;
    return waitMs(this.#failures++, error);
  }
}
