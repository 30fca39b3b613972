import { createHash } from 'node:crypto';
import { LruCache } from '../../base/lru-cache.ts';
import type { Caller } from '../../model/caller.ts';
import type {
  EventCatalog,
  EventFrame,
  EventPage,
  FrameEvent,
  FrameEventKind,
} from '../../ports/catalog/events.ts';
import type { RelationOidCatalog } from '../../ports/catalog/relation-oids.ts';
import { type CatalogSnapshot, readSnapshot, type SnapshotDependencies } from './catalog-snapshot.ts';

export interface CatalogSnapshotsDependencies extends SnapshotDependencies {
  readonly catalog: RelationOidCatalog & Pick<EventCatalog, 'events'>;
}

/** A snapshot, and what says that it is still the newest. */
export interface VersionedSnapshot extends CatalogSnapshot {
  readonly key: string;
}

interface Kept {
  readonly snapshot: VersionedSnapshot;
  readonly shares: string;
  /** The newest event of the tenant that it knows of. */
  last: number;
  mark: number | null;
  usedAt: number;
}

/** Of all tenants together. One with 100,000 frames of a few different schemas has 10 MB. */
const bytesMax = 64 * 1024 * 1024;
/** A tenant that appends more often than this between two statements has its catalogs read anew. */
const eventsMax = 1_000;
/** Who works with the catalogs asks again sooner. */
const idleMs = 10 * 60_000;
/** As a page of shares, whose versions are compared. */
const sharesLimit = 500;

/** They change neither names nor columns: an append takes the columns of its frame. */
const harmlessKinds: ReadonlySet<FrameEventKind> = new Set(['frame.appended', 'frame.settled']);
/** Of `frame.changed`. When a version was dropped, the newest one may have other columns; notes are comments. */
const harmlessChanges: ReadonlySet<EventFrame['change']> = new Set([
  'expiry',
  'shares',
  'tags',
  'versionsKeep',
]);

/** Frames as PostgreSQL's catalogs show them, by tenant, until a name or a column changes. */
export class CatalogSnapshots {
  readonly #dependencies: CatalogSnapshotsDependencies;
  readonly #kept = new LruCache<Kept>({ bytesMax, valueBytesMax: bytesMax / 2 });

  constructor(dependencies: CatalogSnapshotsDependencies) {
    this.#dependencies = dependencies;
  }

  /** As they are now, for this caller. */
  async of(caller: Caller, signal: AbortSignal): Promise<VersionedSnapshot> {
    const { tenant } = caller;
    this.#dropIdle();
    const kept = this.#kept.get(tenant);
    const page = await this.#events(tenant, kept);
    const shares = await this.#shares(caller, signal);
    if (kept !== undefined && kept.shares === shares && isUnchanged(kept, page)) {
      kept.last = page.last;
      kept.mark = page.lastMark;
      kept.usedAt = performance.now();
      return kept.snapshot;
    }
    const read = await readSnapshot(this.#dependencies, caller, signal);
    const key = digest([tenant, String(page.last), String(page.lastMark), shares]);
    const snapshot = { ...read, key };
    const entry = { snapshot, shares, last: page.last, mark: page.lastMark, usedAt: performance.now() };
    this.#kept.set(tenant, entry, read.bytes, tenant);
    return snapshot;
  }

  #dropIdle(): void {
    const since = performance.now() - idleMs;
    for (const tenant of [...this.#kept.keys()])
      if ((this.#kept.peek(tenant)?.usedAt ?? since) < since) this.#kept.delete(tenant);
  }

  #events(tenant: string, kept: Kept | undefined): Promise<EventPage> {
    const { catalog } = this.#dependencies;
    return kept === undefined
      ? catalog.events(tenant, Number.MAX_SAFE_INTEGER, 1)
      : catalog.events(tenant, kept.last, eventsMax, kept.mark);
  }

  /** What others share, at which versions: their events are not this tenant's. */
  async #shares(caller: Caller, signal: AbortSignal): Promise<string> {
    const parts: string[] = [];
    for (let after: { tenant: string; name: string } | null = null; ; ) {
      const page: readonly { readonly tenant: string; readonly name: string; readonly versionId: string }[] =
        await this.#dependencies.sharing.sharedWithMe<false>(
          caller,
          { after, limit: sharesLimit, schemas: false },
          signal,
        );
      for (const { tenant, name, versionId } of page) parts.push(`${tenant}:${name}@${versionId}`);
      const last = page.at(-1);
      if (last === undefined || page.length < sharesLimit) return digest(parts);
      after = { tenant: last.tenant, name: last.name };
    }
  }
}

function isUnchanged({ last }: Kept, page: EventPage): boolean {
  return page.isContinued && page.last - last === page.events.length && page.events.every(isHarmless);
}

function isHarmless({ kind, frame }: FrameEvent): boolean {
  return harmlessKinds.has(kind) || (kind === 'frame.changed' && harmlessChanges.has(frame?.change));
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64');
}
