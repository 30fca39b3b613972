import { FrameholdError } from '../../model/errors.ts';
import type { StatementParameters } from '../../ports/engine.ts';
import type { Format } from '../protocol/client-messages.ts';
import { checkName } from '../text/name.ts';
import type { PreparedText } from './prepared-texts.ts';
import type { Rows } from './rows.ts';

/** Each may hold rows made ahead, and a place in the engine. */
const portalsMax = 100;
/** Texts and values that wait bound. A message alone is limited by `postgres.message_bytes_max`. */
const boundBytesMax = 64 * 1024 * 1024;

/** A statement with its values: bound, or declared as a cursor. */
export interface Portal {
  readonly name: string;
  readonly prepared: PreparedText;
  readonly parameters: StatementParameters | null;
  readonly boundBytes: number;
  readonly resultFormats: readonly Format[];
  /** It outlives its transaction. */
  readonly isHeld: boolean;
  /** Made in the transaction that is open. */
  isNew: boolean;
  /** null: not started, or no rows. */
  rows: Rows | null;
  /** What CommandComplete begins with. */
  tag: string;
  state: 'bound' | 'open' | 'finished' | 'expired';
}

/** With the text that places of errors are counted in, which may be the portal's own. */
function sizeOf({ boundBytes, prepared, resultFormats, parameters }: Portal): number {
  const made = parameters?.kind === 'arrow' ? parameters.stream.length : 0;
  return boundBytes + made + 2 * prepared.whole.length + 8 * resultFormats.length;
}

/** The portals and cursors of a session: they have the same names. */
export class Portals {
  readonly #portals = new Map<string, Portal>();
  readonly #timers = new Map<Portal, NodeJS.Timeout>();
  readonly #waitMs: () => number;
  #bytes = 0;

  /** `waitMs`: how long one with rows may wait for its client. */
  constructor(waitMs: () => number) {
    this.#waitMs = waitMs;
  }

  async add(portal: Portal): Promise<void> {
    const { name } = portal;
    checkName(name);
    const boundBytes = sizeOf(portal);
    if (name === '') await this.close('');
    if (this.#portals.has(name))
      throw new FrameholdError('bad_request', `There is a cursor ${JSON.stringify(name)} already.`, {
        sqlState: '42P03',
        hint: 'Close it first, or choose another name.',
      });
    if (this.#portals.size >= portalsMax || this.#bytes + boundBytes > boundBytesMax)
      throw new FrameholdError(
        'bad_request',
        `A session has at most ${portalsMax} portals and cursors, with ${boundBytesMax} bytes of texts and values.`,
        { sqlState: '53400', hint: 'Close those that are not needed.' },
      );
    this.#portals.set(name, portal);
    this.#bytes += boundBytes;
  }

  get(name: string): Portal {
    const found = this.#portals.get(name);
    if (found !== undefined) return found;
    throw new FrameholdError('bad_request', `There is no cursor or portal ${JSON.stringify(name)}.`, {
      sqlState: '34000',
      hint: 'Cursors and portals end with their transaction; outside of one they end with the next Sync.',
    });
  }

  /** Until it is used again. An engine must not wait for a client for ever. */
  wait(portal: Portal): void {
    this.use(portal);
    const timer = setTimeout(() => {
      this.#timers.delete(portal);
      portal.state = 'expired';
      void portal.rows?.close().catch(() => {});
    }, this.#waitMs());
    this.#timers.set(portal, timer.unref());
  }

  /** Throws if it has waited for too long. */
  use(portal: Portal): void {
    clearTimeout(this.#timers.get(portal));
    this.#timers.delete(portal);
    if (portal.state !== 'expired') return;
    throw new FrameholdError(
      'query_cancelled',
      'The rows waited for longer than postgres.portal_idle_ms, and were given up.',
      {
        hint: 'Fetch the rows faster, or run the statement again.',
      },
    );
  }

  async close(name: string): Promise<void> {
    const portal = this.#portals.get(name);
    if (portal === undefined) return;
    this.#portals.delete(name);
    this.#bytes -= sizeOf(portal);
    clearTimeout(this.#timers.get(portal));
    this.#timers.delete(portal);
    await portal.rows?.close();
  }

  async closeAll(): Promise<void> {
    for (const name of [...this.#portals.keys()]) await this.close(name);
  }

  /** Those that do not outlive it, and after a rollback those that it has made. */
  async endTransaction(isCommitted: boolean): Promise<void> {
    for (const portal of [...this.#portals.values()]) {
      if (!portal.isHeld || (portal.isNew && !isCommitted)) await this.close(portal.name);
      portal.isNew = false;
    }
  }
}
