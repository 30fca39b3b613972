import { type ErrorKind, FrameholdError } from '../../src/model/errors.ts';
import type { StoredObject } from '../../src/model/version.ts';
import type { Commit, NewPart, Restore } from '../../src/ports/catalog/versions.ts';
import { dayMs } from './change-builder.ts';

/** The rules of the catalog for one tenant, written down plainly: every version has its own list of parts. */

interface ModelPart {
  readonly id: string;
  readonly rows: number;
  readonly bytes: number;
  readonly arrowKey: string;
  arrow: boolean;
  parquet: { readonly key: string; readonly exact: boolean } | null;
}

interface ModelVersion {
  parts: readonly ModelPart[];
  /** As they were put: compacting changes the parts, not what the version says of itself. */
  readonly putBytes: number;
  readonly putCount: number;
  readonly madeAt: number;
  readonly schemaHash: string;
}

/** Of every version there ever was. */
interface ModelHistory {
  readonly rows: number;
  /** The version with whose rows it begins. */
  readonly continues: number | null;
}

interface ModelName {
  spelling: string;
  readonly history: Map<number, ModelHistory>;
  nextVersion: number;
  expiresAt: number | null;
  readonly versions: Map<number, ModelVersion>;
  /** Version, or 0 for the name itself. */
  readonly ended: Map<number, number>;
  /** Drops that may be undone, the last one at the end. */
  readonly dropped: ModelDrop[];
}

interface ModelDrop {
  readonly spelling: string;
  readonly expiresAt: number | null;
  readonly until: number;
  readonly versions: ReadonlyMap<number, ModelVersion>;
}

export interface ModelRecord {
  readonly name: string;
  readonly version: number;
  readonly expiresAt: number | null;
  readonly rows: number;
  readonly bytes: number;
  readonly partCount: number;
  readonly schemaHash: string;
}

const goneMs = 30 * dayMs;

export interface ModelRows {
  readonly version: number;
  readonly until: number;
  readonly firstRow: number;
  readonly endRow: number;
  readonly parts: readonly string[];
}

export class CatalogModel {
  readonly #names = new Map<string, ModelName>();
  readonly #keys = new Map<
    string,
    { fingerprint: string; at: number; record: ModelRecord; created: boolean }
  >();

  resolve(name: string, version: number | null, now: number): ModelRecord {
    const known = this.#known(name);
    if (version === null) return this.#record(this.#live(name, now), null);
    if (known.versions.has(version)) {
      if (!isLive(known, now)) fail(now < (known.expiresAt ?? 0) + goneMs ? 'frame_gone' : 'frame_not_found');
      return this.#record(known, version);
    }
    return failEnded(known.ended.get(version), now);
  }

  parts(name: string, version: number): string[] {
    const known = this.#known(name);
    const found = known.versions.get(version);
    if (!found) fail(known.ended.has(version) ? 'frame_gone' : 'frame_not_found');
    return found.parts.map(describePart);
  }

  /** Which rows of which version, and the parts that have them: `id` and the rows before each. */
  rowsBetween(name: string, after: number, until: number | null, now: number): ModelRows {
    const live = this.#live(name, now);
    const version = live.versions.has(until ?? 0) ? (until as number) : newestOf(live);
    const end = until ?? version;
    if (!begins(live, end, version)) failEnded(live.ended.get(end), now);
    if (after >= live.nextVersion) fail('frame_not_found');
    if (after > 0 && !begins(live, after, end)) fail('not_append_only');
    const firstRow = live.history.get(after)?.rows ?? 0;
    const endRow = live.history.get(end)?.rows ?? 0;
    const parts: string[] = [];
    let before = 0;
    for (const { id, rows } of live.versions.get(version)?.parts ?? []) {
      if (before < endRow && before + rows > firstRow && firstRow < endRow) parts.push(`${id} ${before}`);
      before += rows;
    }
    return { version, until: end, firstRow, endRow, parts };
  }

  commit(change: Commit): { record: ModelRecord; created: boolean; replayed: boolean } {
    const key = change.idempotency && this.#keys.get(change.idempotency.key);
    if (key && change.now < key.at + dayMs) {
      if (key.fingerprint !== change.idempotency?.fingerprint) fail('idempotency_conflict');
      return { record: key.record, created: key.created, replayed: true };
    }
    const known = this.#names.get(change.name.toLowerCase());
    const live = known && isLive(known, change.now) ? known : undefined;
    if (live && live.spelling !== change.name) fail('name_conflict');
    if (live && change.mode === 'create') fail('frame_exists');
    if (change.ifVersion !== null && change.ifVersion.version !== (live && newestOf(live)))
      fail('version_mismatch');
    let base: ModelVersion | undefined;
    if (change.mode === 'append') {
      base = this.#live(change.name, change.now).versions.get(newestOf(live as ModelName));
      if (base?.schemaHash !== change.baseSchemaHash) fail('schema_conflict');
    }
    const name = known ?? newName(change.name);
    this.#names.set(change.name.toLowerCase(), name);
    if (!live) {
      endName(name, name.expiresAt ?? change.now);
      name.spelling = change.name;
    }
    if (change.mode !== 'append' && change.expiresAt !== undefined) name.expiresAt = change.expiresAt;
    const part = newPart(change.part);
    name.ended.delete(0);
    const continues = base ? newestOf(name) : null;
    const rows = part.rows + (base ? (name.history.get(newestOf(name))?.rows ?? 0) : 0);
    name.history.set(name.nextVersion, { rows, continues });
    name.versions.set(name.nextVersion++, {
      parts: [...(base?.parts ?? []), part],
      putBytes: (base?.putBytes ?? 0) + part.bytes,
      putCount: (base?.putCount ?? 0) + 1,
      madeAt: change.now,
      schemaHash: change.schema.hash,
    });
    const record = this.#record(name, null);
    if (change.idempotency)
      this.#keys.set(change.idempotency.key, {
        fingerprint: change.idempotency.fingerprint,
        at: change.now,
        record,
        created: !live,
      });
    return { record, created: !live, replayed: false };
  }

  restore(change: Restore): { record: ModelRecord; replayed: boolean } {
    const key = change.idempotency && this.#keys.get(change.idempotency.key);
    if (key && change.now < key.at + dayMs) {
      if (key.fingerprint !== change.idempotency?.fingerprint) fail('idempotency_conflict');
      return { record: key.record, replayed: true };
    }
    const live = this.#live(change.name, change.now);
    const source = live.versions.get(change.version);
    if (!source) failEnded(live.ended.get(change.version), change.now);
    if (change.ifVersion !== null && change.ifVersion.version !== newestOf(live)) fail('version_mismatch');
    live.history.set(live.nextVersion, {
      rows: live.history.get(change.version)?.rows ?? 0,
      continues: change.version,
    });
    live.versions.set(live.nextVersion++, { ...source, madeAt: change.now });
    const record = this.#record(live, null);
    if (change.idempotency) {
      const { key: text, fingerprint } = change.idempotency;
      this.#keys.set(text, { fingerprint, at: change.now, record, created: false });
    }
    return { record, replayed: false };
  }

  undrop(name: string, now: number): ModelRecord {
    const known = this.#names.get(name.toLowerCase());
    if (!known) fail('frame_not_found');
    if (isLive(known, now)) fail(known.spelling === name ? 'name_in_use' : 'name_conflict');
    const index = known.dropped.findLastIndex((each) => each.spelling === name && each.until > now);
    if (index < 0) {
      this.#live(name, now);
      fail('frame_gone');
    }
    endName(known, known.expiresAt ?? now);
    const [drop] = known.dropped.splice(index, 1) as [ModelDrop];
    known.spelling = name;
    known.expiresAt = drop.expiresAt;
    known.ended.delete(0);
    for (const [version, content] of drop.versions) {
      known.versions.set(version, content);
      known.ended.delete(version);
    }
    return this.#record(known, null);
  }

  purge(name: string): number {
    const known = this.#names.get(name.toLowerCase());
    const kept = known?.dropped.filter((each) => each.spelling !== name) ?? [];
    const count = (known?.dropped.length ?? 0) - kept.length;
    known?.dropped.splice(0, known.dropped.length, ...kept);
    return count;
  }

  list(prefix: string, now: number): ModelRecord[] {
    return [...this.#names]
      .filter(([lower, name]) => lower.startsWith(prefix.toLowerCase()) && isLive(name, now))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, name]) => this.#record(name, null));
  }

  versions(name: string, now: number): number[] {
    return [...this.#live(name, now).versions.keys()].sort((a, b) => b - a);
  }

  expire(name: string, expiresAt: number | null, now: number): ModelRecord {
    const live = this.#live(name, now);
    live.expiresAt = expiresAt;
    return this.#record(live, null);
  }

  drop(name: string, version: number | null, ifVersion: number | null, now: number, undropMs = 0): void {
    const live = this.#live(name, now);
    if (version !== null && !live.versions.has(version)) failEnded(live.ended.get(version), now);
    if (ifVersion !== null && ifVersion !== newestOf(live)) fail('version_mismatch');
    if (version === null || live.versions.size === 1) {
      if (undropMs > 0)
        live.dropped.push({
          spelling: live.spelling,
          expiresAt: live.expiresAt,
          until: Math.min(now + undropMs, live.expiresAt ?? Number.POSITIVE_INFINITY),
          versions: new Map(live.versions),
        });
      endName(live, now);
      return;
    }
    live.versions.delete(version);
    live.ended.set(version, now);
  }

  sweep(keep: number, since: number | null, now: number): void {
    for (const name of this.#names.values()) {
      if (!isLive(name, now) && name.versions.size > 0) endName(name, name.expiresAt ?? now);
      for (const version of [...name.versions.keys()].sort((a, b) => b - a).slice(keep)) {
        name.versions.delete(version);
        name.ended.set(version, now);
      }
      for (const version of [...name.versions.keys()].sort((a, b) => a - b)) {
        const { madeAt } = name.versions.get(version) as ModelVersion;
        if (since === null || madeAt >= since || version === newestOf(name)) break;
        name.versions.delete(version);
        name.ended.set(version, now);
      }
      const kept = name.dropped.filter((each) => each.until > now);
      name.dropped.splice(0, name.dropped.length, ...kept);
      for (const [version, at] of name.ended)
        if (version > 0 && at + goneMs <= now) name.ended.delete(version);
    }
    for (const [key, { at }] of this.#keys) if (at + dayMs <= now) this.#keys.delete(key);
  }

  /** Whether the parts could be replaced: in every kept version they are neighbours or not there at all. */
  compact(ids: readonly string[], part: NewPart): boolean {
    const using = this.#versions().filter((version) => version.parts.some(({ id }) => ids.includes(id)));
    const whole = using.every(({ parts }) => {
      const first = parts.findIndex(({ id }) => id === ids[0]);
      return first >= 0 && ids.every((id, index) => parts[first + index]?.id === id);
    });
    if (using.length === 0 || !whole) return false;
    const { id, rows, arrow } = part;
    const compacted = { id, rows, bytes: arrow.bytes, arrowKey: arrow.key, arrow: true, parquet: null };
    for (const version of using) {
      const first = version.parts.findIndex((each) => each.id === ids[0]);
      version.parts = version.parts.toSpliced(first, ids.length, compacted);
    }
    return true;
  }

  addParquet(id: string, key: string, exact: boolean): void {
    for (const part of this.#parts()) if (part.id === id) part.parquet = { key, exact };
  }

  evict(id: string): void {
    for (const part of this.#parts()) if (part.id === id && part.parquet?.exact) part.arrow = false;
  }

  arrowBytes(): number {
    return this.#parts().reduce((sum, part) => sum + (part.arrow ? part.bytes : 0), 0);
  }

  usedKeys(): string[] {
    return this.#parts().flatMap((part) => [
      ...(part.arrow ? [part.arrowKey] : []),
      ...(part.parquet ? [part.parquet.key] : []),
    ]);
  }

  /** Each part that a kept version needs, once. */
  #parts(): ModelPart[] {
    return [...new Set(this.#versions().flatMap((version) => version.parts))];
  }

  #versions(): ModelVersion[] {
    return [...this.#names.values()].flatMap((name) => [
      ...name.versions.values(),
      ...name.dropped.flatMap((each) => [...each.versions.values()]),
    ]);
  }

  #known(name: string): ModelName {
    const known = this.#names.get(name.toLowerCase());
    if (known?.spelling !== name) fail('frame_not_found');
    return known;
  }

  #live(name: string, now: number): ModelName {
    const known = this.#known(name);
    if (isLive(known, now)) return known;
    return failEnded(known.versions.size > 0 ? (known.expiresAt ?? 0) : known.ended.get(0), now);
  }

  #record(name: ModelName, version: number | null): ModelRecord {
    const number = version ?? newestOf(name);
    const { parts, putBytes, putCount, schemaHash } = name.versions.get(number) as ModelVersion;
    return {
      name: name.spelling,
      version: number,
      expiresAt: name.expiresAt,
      rows: parts.reduce((sum, part) => sum + part.rows, 0),
      bytes: putBytes,
      partCount: putCount,
      schemaHash,
    };
  }
}

function describePart(part: ModelPart): string {
  return `${part.id} ${part.arrow ? 'arrow' : ''} ${part.parquet?.exact ?? ''}`;
}

function newName(spelling: string): ModelName {
  return {
    spelling,
    history: new Map(),
    nextVersion: 1,
    expiresAt: null,
    versions: new Map(),
    ended: new Map(),
    dropped: [],
  };
}

/** Whether the rows of a version begin with those of another. */
function begins(name: ModelName, first: number, version: number): boolean {
  let at: number | null = version;
  while (at !== null && at > first) at = name.history.get(at)?.continues ?? null;
  return at === first;
}

function isLive(name: ModelName, now: number): boolean {
  return name.versions.size > 0 && (name.expiresAt === null || name.expiresAt > now);
}

function newestOf(name: ModelName): number {
  return Math.max(...name.versions.keys());
}

function endName(name: ModelName, at: number): void {
  for (const version of name.versions.keys()) name.ended.set(version, at);
  if (name.versions.size > 0) name.ended.set(0, at);
  name.versions.clear();
  name.expiresAt = null;
}

function failEnded(at: number | undefined, now: number): never {
  return fail(at !== undefined && now < at + goneMs ? 'frame_gone' : 'frame_not_found');
}

function fail(kind: ErrorKind): never {
  throw new FrameholdError(kind, 'refused by the model');
}

function newPart(part: Commit['part']): ModelPart {
  const { id, rows } = part;
  if ('arrow' in part)
    return { id, rows, bytes: part.arrow.bytes, arrowKey: part.arrow.key, arrow: true, parquet: null };
  const [{ key, bytes }] = part.parquet as [StoredObject];
  return { id, rows, bytes, arrowKey: '', arrow: false, parquet: { key, exact: true } };
}
