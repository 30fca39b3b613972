import type { AccessGuard } from '../frames/access-guard.ts';
import { BufferPool } from '../frames/buffer-pool.ts';
import type { Frames } from '../frames/frames.ts';
import type { Renderer } from '../frames/ports/renderer.ts';
import type { Sharing } from '../frames/sharing.ts';
import type { Method } from './method.ts';
import type { ServingState } from './serving-state.ts';
import type { FlightSql } from './sql/flight-sql.ts';
import { doAction, listActions } from './verbs/actions.ts';
import { doGet } from './verbs/do-get.ts';
import { doPut } from './verbs/do-put.ts';
import { getFlightInfo } from './verbs/get-flight-info.ts';
import { getSchema } from './verbs/get-schema.ts';
import { handshake } from './verbs/handshake.ts';
import { healthCheck, healthWatch } from './verbs/health.ts';
import { listFlights } from './verbs/list-flights.ts';
import { doExchange, pollFlightInfo } from './verbs/not-offered.ts';

export interface FlightParts {
  readonly frames: Frames;
  readonly sharing: Sharing;
  readonly access: AccessGuard;
  readonly renderer: Renderer;
  readonly state: ServingState;
  readonly publicUrl: string | null;
  readonly sql: FlightSql;
  /** Of every request that brings no rows. */
  readonly requestBytesMax: number;
}

/** Room for a dozen readers of ordinary batches (4 MiB) to work without allocating; more readers allocate, and nothing else changes. */
const idleFrameBytesMax = 64 * 1024 * 1024;

/** Every method that the listener serves. */
export function flightMethods(parts: FlightParts): readonly Method[] {
  const pool = new BufferPool(idleFrameBytesMax);
  const withoutRows = [
    handshake(),
    listFlights(parts.frames, parts.publicUrl),
    getFlightInfo(parts.frames, parts.sql, parts.publicUrl),
    getSchema(parts.frames, parts.sql),
    doGet(parts.frames, parts.renderer, parts.sql, pool),
    doAction(parts, parts.sql),
    listActions(parts.access),
    pollFlightInfo(),
    doExchange(),
  ];
  return [
    ...withoutRows.map((method) => ({ ...method, messageBytesMax: parts.requestBytesMax })),
    doPut(parts.frames, parts.sql),
    healthCheck(parts.state),
    healthWatch(parts.state),
  ];
}
