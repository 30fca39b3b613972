import type { AddressInfo } from 'node:net';
import { AccessGuard } from '../../src/frames/access/access-guard.ts';
import { Audit } from '../../src/frames/access/audit.ts';
import type { Analysis } from '../../src/frames/analysis/analysis.ts';
import type { Events } from '../../src/frames/events/events.ts';
import type { FrameFiles } from '../../src/frames/files/frame-files.ts';
import type { Frames, ReadRange } from '../../src/frames/frames.ts';
import type { Notes } from '../../src/frames/notes/notes.ts';
import type { UpstreamProxy } from '../../src/frames/proxy/upstream-proxy.ts';
import type { Sharing } from '../../src/frames/sharing/sharing.ts';
import type { Status } from '../../src/frames/status/status.ts';
import type { Tags } from '../../src/frames/tags/tags.ts';
import type { Tenants } from '../../src/frames/tenants/tenants.ts';
import type { HttpContext } from '../../src/http/context.ts';
import type { BrowserRules } from '../../src/http/hooks/browser-hook.ts';
import { HostNames } from '../../src/http/hooks/host-names.ts';
import { type HttpListener, startHttpListener } from '../../src/http/listener.ts';
import { SubPath } from '../../src/http/request/sub-path.ts';
import { RenderedCache } from '../../src/http/response/rendered-cache.ts';
import type { Reading } from '../../src/ports/reading.ts';
import type { Renderer } from '../../src/ports/renderer.ts';
import type { History } from '../../src/sql/saved/history.ts';
import type { SavedQueries } from '../../src/sql/saved/saved-queries.ts';
import type { Sql } from '../../src/sql/sql.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';

/** No name, page or frame is configured. */
export const openBrowserRules: BrowserRules = {
  hosts: new HostNames([]),
  corsOrigins: new Set(),
  frameAncestors: [],
  publicOrigin: null,
};

export interface BareListener extends Pick<HttpListener, 'stopSoon' | 'drain' | 'close'> {
  readonly url: string;
}

/** The real listener on a port of its own. It has only the parts that the test gives it; asking for any other is an error. */
export async function startBareListener({
  limits = {},
  ...parts
}: Partial<Omit<HttpContext, 'limits'>> & {
  readonly limits?: Partial<HttpContext['limits']>;
} = {}): Promise<BareListener> {
  const observe = () => {};
  const context: HttpContext = {
    frames: {} as Frames,
    analysis: {} as Analysis,
    files: {} as FrameFiles,
    sharing: {} as Sharing,
    tags: {} as Tags,
    notes: {} as Notes,
    tenants: {} as Tenants,
    events: { open: 0, stop() {} } as unknown as Events,
    access: new AccessGuard(new Audit(observe)),
    sql: {} as Sql,
    savedQueries: {} as SavedQueries,
    history: {} as History,
    status: {} as Status,
    renderer: {} as Renderer,
    renderedCache: new RenderedCache(0, 0, observe),
    proxy: {} as UpstreamProxy,
    observe,
    compression: true,
    mcp: { isEnabled: false, rowsMax: 1, bytesMax: 1_024, timeoutMs: 1_000, serverVersion: '0' },
    publicUrl: '',
    trustProxy: false,
    metrics: async () => ({ contentType: 'text/plain', text: '' }),
    ready: async () => {},
    isReady: async () => true,
    flight: () => null,
    nodes: null,
    authenticator: openAuthenticator,
    subPath: new SubPath(parts.publicUrl ?? ''),
    browsers: openBrowserRules,
    console: null,
    vary: 'accept, accept-encoding',
    certificates: null,
    connections: { maxConnections: 100, unauthenticatedMax: 25, perAddressMax: 0 },
    ...parts,
    limits: {
      limitMax: 1_000,
      bodyBytesMax: 1_000_000,
      urlBytesMax: 65_536,
      headerBytesMax: 81_920,
      bodyIdleMs: 60_000,
      bodyRateMin: 0,
      answerIdleMs: 60_000,
      keepAliveMs: 60_000,
      sqlTextBytesMax: 2_000,
      ...limits,
    },
  };
  const listener = await startHttpListener(context, { host: '127.0.0.1', port: 0 });
  return { ...listener, url: `http://127.0.0.1:${(listener.address as AddressInfo).port}` };
}

/** Holds one version, whatever name it is asked for. */
export function heldFrame(reading: Reading): Frames {
  return {
    resolve: async () => reading.record,
    read: async (_caller: unknown, _handle: unknown, { offset = 0, limit }: ReadRange) => {
      const rowCount = Math.min(limit ?? Number.POSITIVE_INFINITY, reading.record.rows - offset);
      return { ...reading, offset, rowCount };
    },
  } as unknown as Frames;
}

/** Answers every query with no rows. */
export function fakeDatabase(asked: (rawQuery: string) => void = () => {}): Pick<HttpContext, 'proxy'> {
  const proxy: UpstreamProxy = {
    forward(_caller, rawQuery, receiver) {
      asked(rawQuery);
      receiver.head(200, 'application/json', { pause() {}, resume() {} });
      receiver.end();
      return () => {};
    },
  };
  return { proxy };
}
