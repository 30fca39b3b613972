import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FrameholdError } from '../../../model/errors.ts';
import type { PartForm, PartRecord, StoredObject } from '../../../model/version.ts';
import { partWork } from '../../../ports/catalog/leases.ts';
import type { TranscodingBacklog } from '../../../ports/catalog/maintenance.ts';
import type { NewParquetPart, NewPart, PartsBetween } from '../../../ports/catalog/versions.ts';
import { faultOfOthers, quarantinedParts, transcodeAgain } from '../../damage-rows.ts';
import { type ObjectRow, type PartRow, partRecordOf, replacedKind } from '../../part-rows.ts';
import {
  arrowReplacement,
  type FoundPart,
  firstFormOf,
  formAddition,
  formValue,
  isEvictable,
  isTranscodedByRefusal,
} from '../../rules/forms.ts';
import type { PartPlace } from '../../rules/logs.ts';
import { transcodeLater, transcodeSoon } from '../../transcode-conditions.ts';
import type { TranscodedFrames } from '../events/transcoded-frames.ts';

const columns = 'id, part_id, rows, arrow_bytes, parquet_exact, refusal';

/** Its methods that are operations of the catalog. */
export const partOperations = {
  reads: ['untranscoded', 'transcodingBacklog', 'unpacked', 'arrowBytes', 'evictable'],
  writes: ['addForm', 'refuseTranscoding', 'replaceArrow', 'keepArrow', 'evict'],
} as const;

/** Parts of logs, their forms, and the objects of these. Removing either leaves its objects as garbage. */
export class Parts {
  readonly #transcoded: TranscodedFrames;
  readonly #insert: StatementSync;
  readonly #insertObject: StatementSync;
  readonly #isGarbage: StatementSync;
  readonly #find: StatementSync;
  readonly #ofLog: StatementSync;
  readonly #between: StatementSync;
  readonly #objects: StatementSync;
  readonly #transcodeSoon: StatementSync;
  readonly #transcodeLater: StatementSync;
  readonly #transcodeAgain: StatementSync;
  readonly #backlog: StatementSync;
  readonly #evictable: StatementSync;
  readonly #unpacked: StatementSync;
  readonly #setArrowLevel: StatementSync;
  readonly #setArrow: StatementSync;
  readonly #setParquet: StatementSync;
  readonly #refuse: StatementSync;
  readonly #discardForm: StatementSync;
  readonly #deleteForm: StatementSync;
  readonly #noteReplaced: StatementSync;
  readonly #setReplaced: StatementSync;
  readonly #dropReplaced: StatementSync;
  readonly #rangeBytes: StatementSync;
  readonly #discardRange: StatementSync;
  readonly #deleteRange: StatementSync;
  readonly #moveLog: StatementSync;
  readonly #addToGarbage: StatementSync;
  readonly #countArrow: StatementSync;
  readonly #arrowBytes: StatementSync;

  constructor(db: DatabaseSync, transcoded: TranscodedFrames) {
    this.#transcoded = transcoded;
    this.#insert = db.prepare(
      `INSERT INTO parts (part_id, name_id, log, seq, first_row, rows, size, added_at, arrow_bytes, parquet_exact)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertObject = db.prepare('INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?)');
    this.#isGarbage = db.prepare('SELECT 1 FROM garbage WHERE key = ?');
    this.#find = db.prepare(`SELECT ${columns} FROM parts WHERE part_id = ?`);
    this.#ofLog = db.prepare(
      `SELECT ${columns} FROM parts WHERE name_id = ? AND log = ? AND seq < ? ORDER BY seq`,
    );
    // From the last part that begins at or before the first row: what is before it costs nothing.
    this.#between = db.prepare(`
      SELECT ${columns}, first_row FROM parts INDEXED BY parts_rows
      WHERE name_id = ?1 AND log = ?2 AND seq < ?3 AND first_row < ?5 AND first_row + rows > ?4
        AND first_row >= (SELECT ifnull(max(first_row), 0) FROM parts INDEXED BY parts_rows
          WHERE name_id = ?1 AND log = ?2 AND first_row <= ?4)
      ORDER BY first_row, seq`);
    this.#objects = db.prepare(
      `SELECT kind, o.key, bytes, sha256, d.key IS NOT NULL AS damaged
       FROM objects o LEFT JOIN damaged d ON d.key = o.key WHERE part = ? ORDER BY kind, seq`,
    );
    this.#transcodeSoon = db.prepare(`
      SELECT ${columns} FROM parts INDEXED BY parts_settle_soon WHERE ${transcodeSoon} AND ${unleased('transcode')}
      ORDER BY id LIMIT ?`);
    this.#transcodeLater = db.prepare(`
      SELECT ${columns} FROM parts INDEXED BY parts_settle_later
      WHERE ${transcodeLater} AND added_at <= ? AND ${unleased('transcode')} ORDER BY added_at, id LIMIT ?`);
    this.#transcodeAgain = db.prepare(`
      SELECT ${columns} FROM parts WHERE ${transcodeAgain} AND ${unleased('transcode')} ORDER BY id LIMIT ?`);
    const waiting = (index: string, condition: string) =>
      `SELECT * FROM (SELECT name_id, arrow_bytes FROM parts INDEXED BY ${index} WHERE ${condition} LIMIT ?1)`;
    this.#backlog = db.prepare(`
      SELECT count(*) AS parts, CAST(total(p.arrow_bytes) AS INTEGER) AS bytes
      FROM (SELECT * FROM (${waiting('parts_settle_soon', transcodeSoon)} UNION ALL ${waiting('parts_settle_later', transcodeLater)}) LIMIT ?1) p
      CROSS JOIN names n ON n.id = p.name_id WHERE n.tenant = ?2`);
    this.#evictable = db.prepare(`
      SELECT ${columns} FROM parts INDEXED BY parts_evictable
      WHERE parquet_exact = 1 AND arrow_bytes IS NOT NULL AND id NOT IN (${quarantinedParts}) ORDER BY id LIMIT ?`);
    this.#unpacked = db.prepare(`
      SELECT ${columns} FROM parts INDEXED BY parts_unpacked
      WHERE arrow_level = 0 AND arrow_bytes IS NOT NULL AND (parquet_exact = 0 OR refusal IS NOT NULL)
        AND ${unleased('recompress')} AND id NOT IN (${quarantinedParts})
      ORDER BY id LIMIT ?`);
    this.#setArrowLevel = db.prepare('UPDATE parts SET arrow_level = ? WHERE part_id = ?');
    this.#setArrow = db.prepare('UPDATE parts SET arrow_bytes = ? WHERE id = ?');
    this.#setParquet = db.prepare('UPDATE parts SET parquet_exact = ? WHERE id = ?');
    this.#refuse = db.prepare('UPDATE parts SET refusal = ? WHERE part_id = ?');
    this.#discardForm = db.prepare(
      'INSERT INTO garbage (key) SELECT key FROM objects WHERE part = ? AND kind = ?',
    );
    this.#deleteForm = db.prepare('DELETE FROM objects WHERE part = ? AND kind = ?');
    this.#noteReplaced = db.prepare(`
      INSERT OR IGNORE INTO damaged SELECT key, '${faultOfOthers}', ?3 FROM objects WHERE part = ?1 AND kind = ?2`);
    this.#setReplaced = db.prepare(`
      UPDATE objects SET kind = '${replacedKind}', seq = seq +
        (SELECT ifnull(max(seq) + 1, 0) FROM objects WHERE part = ?1 AND kind = '${replacedKind}')
      WHERE part = ?1 AND kind = ?2`);
    this.#dropReplaced = db.prepare(`DELETE FROM objects WHERE key = ? AND kind = '${replacedKind}'`);
    const range = 'name_id = ? AND log = ? AND seq BETWEEN ? AND ?';
    this.#rangeBytes = db.prepare(`SELECT total(arrow_bytes) AS bytes FROM parts WHERE ${range}`);
    this.#discardRange = db.prepare(`
      INSERT INTO garbage (key) SELECT o.key FROM parts p JOIN objects o ON o.part = p.id WHERE ${range.replaceAll(/(name_id|log|seq) /g, 'p.$1 ')}`);
    this.#deleteRange = db.prepare(`DELETE FROM parts WHERE ${range}`);
    this.#moveLog = db.prepare('UPDATE parts SET log = ? WHERE name_id = ? AND log = ?');
    this.#addToGarbage = db.prepare('INSERT OR IGNORE INTO garbage (key) VALUES (?)');
    this.#countArrow = db.prepare('UPDATE counters SET arrow_bytes = arrow_bytes + ?');
    this.#arrowBytes = db.prepare('SELECT arrow_bytes FROM counters');
  }

  add(nameId: number, place: PartPlace, part: NewPart | NewParquetPart, now: number): void {
    const { kind, objects, bytes, arrowBytes, parquetExact } = firstFormOf(part);
    const { id, rows } = part;
    const { log, seq, firstRow } = place;
    const row = [id, nameId, log, seq, firstRow, rows, bytes, now] as const;
    const { lastInsertRowid } = this.#insert.run(...row, arrowBytes, parquetExact);
    this.#addObjects(Number(lastInsertRowid), kind, objects);
    this.#countArrow.run(arrowBytes ?? 0);
  }

  /** The part came with its Parquet form. */
  addedTranscoded(partId: string, now: number): void {
    this.#transcoded.transcoded(partId, now);
  }

  /** The parts of a log below `count`, a number of puts. */
  ofLog(nameId: number, log: number, count: number): PartRecord[] {
    return this.#records(this.#ofLog.all(nameId, log, count));
  }

  /** Those of them that hold rows from `first` to before `end` of a version. */
  between(nameId: number, log: number, count: number, first: number, end: number): PartsBetween {
    const rows = this.#between.all(nameId, log, count, first, end);
    return { rowsBefore: Number(rows[0]?.first_row ?? 0), parts: this.#records(rows) };
  }

  untranscoded(limit: number, smallBefore: number, now: number): PartRecord[] {
    const soon = this.#transcodeSoon.all(now, limit);
    const later = soon.length < limit ? this.#transcodeLater.all(smallBefore, now, limit - soon.length) : [];
    const found = [...soon, ...later];
    const again = found.length < limit ? this.#transcodeAgain.all(now, limit - found.length) : [];
    return this.#records([...found, ...again]);
  }

  transcodingBacklog(tenant: string, partsMax: number): TranscodingBacklog {
    const { parts, bytes } = this.#backlog.get(partsMax, tenant) as unknown as TranscodingBacklog;
    return { parts, bytes };
  }

  /** Parts of a log, by their ids. */
  byIds(partIds: readonly string[]): PartRecord[] {
    return this.#records(partIds.flatMap((id) => this.#part(id) ?? []));
  }

  evictable(limit: number): PartRecord[] {
    return this.#records(this.#evictable.all(limit));
  }

  unpacked(limit: number, now: number): PartRecord[] {
    return this.#records(this.#unpacked.all(now, limit));
  }

  arrowBytes(): number {
    return Number(this.#arrowBytes.get()?.arrow_bytes);
  }

  addForm(partId: string, form: PartForm, now: number): boolean {
    const added = formAddition(this.found(partId), form);
    if (added === 'same') return true;
    if (added === 'late') return this.#discardObjects(form);
    if (added.replacesDamaged) this.#replace(added.part, form.kind, now);
    this.#setForm(added.part, form);
    if (form.kind === 'parquet') this.#transcoded.transcoded(partId, now);
    return true;
  }

  replaceArrow(partId: string, before: string, packed: StoredObject, level: number): boolean {
    const part = arrowReplacement(this.found(partId), before, packed.key);
    if (part === 'same') return true;
    const form = { kind: 'arrow', objects: [packed], exact: true } as const;
    if (part === 'late') return this.#discardObjects(form);
    this.#removeForm(part, 'arrow');
    this.#setForm(part, form);
    this.keepArrow(partId, level);
    return true;
  }

  keepArrow(partId: string, level: number): void {
    this.#setArrowLevel.run(level, partId);
  }

  refuseTranscoding(partId: string, reason: string, now: number): void {
    const part = this.#part(partId);
    this.#refuse.run(reason, partId);
    if (isTranscodedByRefusal(part)) this.#transcoded.transcoded(partId, now);
  }

  /** The same, for a part that cannot be read: its frame is not transcoded, it is damaged. */
  refuseDamaged(partId: string, reason: string): void {
    this.#refuse.run(reason, partId);
  }

  evict(partId: string): void {
    const part = this.found(partId);
    if (part && isEvictable(part)) this.dropForm(part, 'arrow');
  }

  find(partId: string): PartRecord | null {
    const part = this.found(partId);
    return part === undefined ? null : partRecordOf(part, part.objects);
  }

  found(partId: string): FoundPart | undefined {
    const part = this.#part(partId);
    return part && { ...part, objects: this.#objectRows(part.id) };
  }

  /** Removes a form, whatever else there is; a part without its Parquet form is transcoded again. */
  dropForm(part: FoundPart, kind: PartForm['kind']): void {
    this.#removeForm(part, kind);
    if (kind === 'arrow') this.#changeArrow(part, null);
    else this.#setParquet.run(null, part.id);
  }

  /** Removes an object of a form that was replaced. */
  dropReplaced(key: string): void {
    if (this.#dropReplaced.run(key).changes > 0) this.#addToGarbage.run(key);
  }

  /** Removes the parts of a log from `seq` on. */
  removeTail(nameId: number, log: number, seq: number): void {
    this.remove(nameId, log, seq, Number.MAX_SAFE_INTEGER);
  }

  /** Removes the parts of a log from `first` to `last`. */
  remove(nameId: number, log: number, first: number, last: number): void {
    const bytes = Number(this.#rangeBytes.get(nameId, log, first, last)?.bytes);
    this.#discardRange.run(nameId, log, first, last);
    this.#deleteRange.run(nameId, log, first, last);
    this.#countArrow.run(-bytes);
  }

  /** All parts of one log, each with its place, become parts of another. */
  moveLog(nameId: number, from: number, to: number): void {
    this.#moveLog.run(to, nameId, from);
  }

  /** An object that came too late to be used: it becomes garbage. */
  discard(object: StoredObject): void {
    this.#addToGarbage.run(object.key);
  }

  #part(partId: string): PartRow | undefined {
    return this.#find.get(partId) as PartRow | undefined;
  }

  #removeForm(part: PartRow, kind: PartForm['kind']): void {
    this.#discardForm.run(part.id, kind);
    this.#deleteForm.run(part.id, kind);
  }

  #setForm(part: PartRow, form: PartForm): void {
    this.#addObjects(part.id, form.kind, form.objects);
    if (form.kind === 'parquet') this.#setParquet.run(formValue(form), part.id);
    else this.#changeArrow(part, formValue(form));
  }

  /** The damaged objects of a form, and those beside them, stay with the part and are none of its forms any more. */
  #replace(part: PartRow, kind: PartForm['kind'], now: number): void {
    this.#noteReplaced.run(part.id, kind, now);
    this.#setReplaced.run(part.id, kind);
  }

  /** They came too late to be used. */
  #discardObjects(form: PartForm): false {
    for (const object of form.objects) this.discard(object);
    return false;
  }

  #changeArrow(part: PartRow, bytes: number | null): void {
    this.#setArrow.run(bytes, part.id);
    this.#countArrow.run((bytes ?? 0) - (part.arrow_bytes ?? 0));
  }

  #addObjects(part: number, kind: PartForm['kind'], objects: readonly StoredObject[]): void {
    for (const [seq, object] of objects.entries()) {
      // The store may be removing it at this moment: a key is never used again.
      if (this.#isGarbage.get(object.key))
        throw new FrameholdError('internal', `The object ${object.key} is garbage already.`);
      this.#insertObject.run(part, kind, seq, object.key, object.bytes, object.sha256);
    }
  }

  #objectRows(part: number): ObjectRow[] {
    return this.#objects.all(part) as unknown as ObjectRow[];
  }

  #records(rows: unknown[]): PartRecord[] {
    return (rows as PartRow[]).map((row) => partRecordOf(row, this.#objectRows(row.id)));
  }
}

/** No process has leased this work on the part. */
function unleased(work: keyof typeof partWork): string {
  return `NOT EXISTS (SELECT 1 FROM claims WHERE work = '${partWork[work]('')}' || part_id AND until > ?)`;
}
