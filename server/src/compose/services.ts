import { closeCommand } from '../config/close-command.ts';
import type { Settings } from '../config/settings.ts';
import { limitRules } from '../config/tenant-limits.ts';
import { productVersion } from '../config/version.ts';
import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { Events } from '../frames/events/events.ts';
import { type EventLimits, EventsService } from '../frames/events/events-service.ts';
import type { FrameFiles } from '../frames/files/frame-files.ts';
import { FrameService } from '../frames/frame-service.ts';
import type { Frames } from '../frames/frames.ts';
import { ArrivingBytes } from '../frames/limits/arriving-bytes.ts';
import type { Notes } from '../frames/notes/notes.ts';
import { NotesService } from '../frames/notes/notes-service.ts';
import { ProxyService } from '../frames/proxy/proxy-service.ts';
import type { UpstreamProxy } from '../frames/proxy/upstream-proxy.ts';
import type { Sharing } from '../frames/sharing/sharing.ts';
import { SharingService } from '../frames/sharing/sharing-service.ts';
import type { Status } from '../frames/status/status.ts';
import { StatusService } from '../frames/status/status-service.ts';
import type { Tags } from '../frames/tags/tags.ts';
import { TagsService } from '../frames/tags/tags-service.ts';
import type { Tenants } from '../frames/tenants/tenants.ts';
import { TenantsService } from '../frames/tenants/tenants-service.ts';
import type { RunningQueries } from '../ports/running-queries.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { SqlEngines } from '../sql/engines.ts';
import type { Auth } from './auth.ts';
import type { Core } from './core.ts';
import { composeFiles } from './files.ts';
import type { Limits } from './limits.ts';

const hourMs = 3_600_000;

export interface Services {
  readonly frames: Frames;
  readonly files: FrameFiles;
  readonly sharing: Sharing;
  readonly tags: Tags;
  readonly notes: Notes;
  readonly tenants: Tenants;
  readonly status: Status;
  readonly proxy: UpstreamProxy;
  readonly events: Events;
}

export interface ServiceDependencies {
  readonly core: Core;
  readonly auth: Auth;
  readonly limits: Limits;
  readonly engines: SqlEngines;
  readonly upstream: Upstream | null;
  readonly queries: RunningQueries;
  readonly access: AccessGuard;
  readonly audit: Audit;
  /** null: there are no others. */
  readonly node: string | null;
  /** Called after each put. */
  readonly onPut: () => void;
}

export function composeServices(
  settings: Settings,
  {
    core,
    auth,
    limits,
    engines,
    upstream,
    queries: statements,
    access,
    audit,
    node,
    onPut,
  }: ServiceDependencies,
  made: AsyncDisposableStack,
): Services {
  const { catalog, now } = core;
  const { puts, reads, streams, tenantQueries: queries } = limits;
  const { quotaOf } = auth.limits;
  const frames = new FrameService({
    ...core,
    access,
    audit,
    puts,
    reads,
    arriving: new ArrivingBytes({ catalog, quotaOf }),
    undropMs: settings['frames.undrop_hours'] * hourMs,
    versionsKeepMax: Math.max(settings['frames.versions_keep_max'], settings['frames.versions_keep']),
    onPut,
    quotaOf,
  });
  const files = composeFiles({ core, frames, limits, access, audit }, made);
  const sharing = new SharingService({ catalog, links: auth.links, access, audit, now });
  const tags = new TagsService({ catalog, frames, access, audit, now });
  const notes = new NotesService({ catalog, frames, access, audit, now });
  const tenants = new TenantsService({
    catalog,
    access,
    audit,
    rate: auth.rate,
    queries,
    statements,
    node,
    streams,
    limits: auth.limits,
    kept: auth.keptLimits,
    rules: limitRules,
    known: auth.tenants,
  });
  const proxy = new ProxyService({ upstream, access, audit, slots: queries });
  const { observe } = core;
  const events = new EventsService(
    { catalog, queries: statements, access, observe, now },
    eventLimits(settings),
  );
  const status = new StatusService({
    catalog,
    queries: statements,
    engines,
    limits: auth.limits,
    access,
    version: productVersion(),
    startedAt: now(),
    hasUpstream: upstream !== null,
    isOpen: () => auth.authenticator.isOpen,
    // Only callers of an open server see it, who may do everything anyway.
    closeCommand: closeCommand(settings),
  });
  return { frames, files, sharing, tags, notes, tenants, status, proxy, events };
}

/** Read when they are needed, because settings may change (config/live-settings.ts). */
function eventLimits(settings: Settings): EventLimits {
  return {
    get streamsMax() {
      return settings['events.streams_max'];
    },
    get tenantStreamsMax() {
      return settings['events.tenant_streams_max'];
    },
  };
}
