import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Analysis } from '../frames/analysis/analysis.ts';
import type { Events } from '../frames/events/events.ts';
import type { FrameFiles } from '../frames/files/frame-files.ts';
import type { Frames } from '../frames/frames.ts';
import type { Notes } from '../frames/notes/notes.ts';
import type { UpstreamProxy } from '../frames/proxy/upstream-proxy.ts';
import type { Sharing } from '../frames/sharing/sharing.ts';
import type { Status } from '../frames/status/status.ts';
import type { Tags } from '../frames/tags/tags.ts';
import type { Tenants } from '../frames/tenants/tenants.ts';
import type { Authenticator } from '../ports/authenticator.ts';
import type { Nodes } from '../ports/nodes.ts';
import type { Observe } from '../ports/observation.ts';
import type { Renderer } from '../ports/renderer.ts';
import type { Certificates } from '../sockets/certificates.ts';
import type { ConnectionLimits } from '../sockets/open-connections.ts';
import type { History } from '../sql/saved/history.ts';
import type { SavedQueries } from '../sql/saved/saved-queries.ts';
import type { Sql } from '../sql/sql.ts';
import type { ConsoleFiles } from './console/console-files.ts';
import type { BrowserRules } from './hooks/browser-hook.ts';
import type { SubPath } from './request/sub-path.ts';
import type { RenderedCache } from './response/rendered-cache.ts';

interface HttpLimits {
  readonly limitMax: number;
  readonly bodyBytesMax: number;
  readonly urlBytesMax: number;
  readonly headerBytesMax: number;
  /** How long a body may pause, and how long the headers may take. */
  readonly bodyIdleMs: number;
  /** Bytes a second that a body must bring. */
  readonly bodyRateMin: number;
  /** How long a caller may read nothing of an answer. */
  readonly answerIdleMs: number;
  readonly keepAliveMs: number;
  /** The longest statement with its parameters. */
  readonly sqlTextBytesMax: number;
}

/** The Model Context Protocol. */
interface McpOptions {
  readonly isEnabled: boolean;
  /** Rows of one answer. */
  readonly rowsMax: number;
  /** Bytes of one answer's rows or columns. */
  readonly bytesMax: number;
  /** How long one call of a tool may take. */
  readonly timeoutMs: number;
  readonly serverVersion: string;
}

/** What the routes work with. */
export interface HttpContext {
  readonly frames: Frames;
  readonly analysis: Analysis;
  readonly files: FrameFiles;
  readonly sharing: Sharing;
  readonly tags: Tags;
  readonly notes: Notes;
  readonly tenants: Tenants;
  readonly events: Events;
  readonly access: AccessGuard;
  readonly sql: Sql;
  readonly savedQueries: SavedQueries;
  readonly history: History;
  readonly status: Status;
  readonly renderer: Renderer;
  readonly renderedCache: RenderedCache;
  readonly proxy: UpstreamProxy;
  readonly observe: Observe;
  readonly limits: HttpLimits;
  readonly connections: ConnectionLimits;
  readonly mcp: McpOptions;
  readonly compression: boolean;
  /** Comes before paths in Location and Link headers; empty if no public URL is configured. */
  readonly publicUrl: string;
  readonly subPath: SubPath;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** Rejects if the server cannot serve. */
  readonly ready: () => Promise<void>;
  /** The same for people, who are not a balancer. */
  readonly isReady: () => Promise<boolean>;
  readonly trustProxy: boolean;
  /** Where clients of Flight connect: as configured, or the port that it is bound to; null for a unix socket. */
  readonly flight: () => { readonly publicUrl: string } | { readonly port: number } | null;
  readonly authenticator: Authenticator;
  /** The nodes that share the catalog; null: there is only this one. */
  readonly nodes: Nodes | null;
  readonly browsers: BrowserRules;
  /** null: it has not been built. */
  readonly console: ConsoleFiles | null;
  /** The value of the header Vary: what answers depend on besides their URL. */
  readonly vary: string;
  /** null: plain HTTP. */
  readonly certificates: Certificates | null;
}
