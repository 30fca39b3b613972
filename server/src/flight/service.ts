import { BufferPool } from '../base/buffer-pool.ts';
import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Frames } from '../frames/frames.ts';
import type { Notes } from '../frames/notes/notes.ts';
import type { Sharing } from '../frames/sharing/sharing.ts';
import type { Tags } from '../frames/tags/tags.ts';
import type { Nodes } from '../ports/nodes.ts';
import type { Renderer } from '../ports/renderer.ts';
import { FrameLocations } from './frame-locations.ts';
import type { Method } from './method.ts';
import { largeForReaders, plainBytesMax, type RequestBytes } from './request-bytes.ts';
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

export interface MethodDependencies {
  readonly frames: Frames;
  readonly sharing: Sharing;
  readonly tags: Tags;
  readonly notes: Notes;
  readonly access: AccessGuard;
  readonly renderer: Renderer;
  readonly state: ServingState;
  readonly publicUrl: string | null;
  readonly nodes: Nodes | null;
  readonly sql: FlightSql;
  readonly requestBytes: RequestBytes;
}

/** Room for a dozen readers of ordinary batches (4 MiB) to work without allocating; more readers allocate, and nothing else changes. */
const idleBufferBytesMax = 64 * 1024 * 1024;

/** Every method that the listener serves. */
export function flightMethods(dependencies: MethodDependencies): readonly Method[] {
  const pool = new BufferPool(idleBufferBytesMax);
  const { access, frames, sql } = dependencies;
  const locations = new FrameLocations(dependencies.publicUrl, dependencies.nodes);
  const { descriptor, ticket, action } = dependencies.requestBytes;
  const methods = [
    upTo(plainBytesMax, handshake()),
    upTo(plainBytesMax, listFlights(frames, locations)),
    upTo(descriptor, getFlightInfo(frames, sql, locations)),
    upTo(descriptor, getSchema(frames, sql)),
    upTo(ticket, doGet(frames, dependencies.renderer, sql, pool)),
    upTo(action, doAction(dependencies, sql)),
    upTo(plainBytesMax, listActions(access)),
    upTo(plainBytesMax, pollFlightInfo()),
    upTo(plainBytesMax, doExchange()),
    // Rows: as large as the listener takes.
    doPut(frames, sql),
  ];
  return [
    ...methods.map((method) => largeForReaders(method, access)),
    healthCheck(dependencies.state),
    healthWatch(dependencies.state),
  ];
}

function upTo(messageBytesMax: number, method: Method): Method {
  return { ...method, messageBytesMax };
}
