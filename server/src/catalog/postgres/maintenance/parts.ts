import type { PartForm, PartRecord, StoredObject } from '../../../model/version.ts';
import { partWork } from '../../../ports/catalog/leases.ts';
import type { TranscodingBacklog } from '../../../ports/catalog/maintenance.ts';
import type { NewParquetPart, NewPart } from '../../../ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { faultOfOthers, quarantinedParts, transcodeAgain } from '../../damage-rows.ts';
import { replacedKind } from '../../part-rows.ts';
import {
  arrowReplacement,
  type FoundPart,
  firstFormOf,
  formAddition,
  formValue,
  isEvictable,
  isTranscodedByRefusal,
  keysOf,
} from '../../rules/forms.ts';
import type { PartPlace } from '../../rules/logs.ts';
import { transcodeLater, transcodeSoon } from '../../transcode-conditions.ts';
import type { TranscodedFrames } from '../events/transcoded-frames.ts';
import { foundPart, partColumns, type SelectedPart, selectedPart } from '../part-selection.ts';
import { leaseHolds } from './lease-holds.ts';

/**
 * Parts of logs, their forms, and the objects of these. Removing either leaves its objects as garbage. Whoever changes a part has locked
 * its name: what is done by the id of a part does so itself.
 */
export class Parts {
  readonly #transcoded: TranscodedFrames;

  constructor(transcoded: TranscodedFrames) {
    this.#transcoded = transcoded;
  }

  add(
    sql: Transaction,
    nameId: number,
    { log, seq, firstRow }: PartPlace,
    part: NewPart | NewParquetPart,
    now: number,
  ): void {
    const { id, rows } = part;
    const { kind, objects, bytes, arrowBytes, parquetExact } = firstFormOf(part);
    sql.send(
      `WITH part AS (
        INSERT INTO parts (part_id, name_id, log, seq, first_row, rows, size, added_at, arrow_bytes, parquet_exact)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id)
      INSERT INTO objects SELECT part.id, $11::text, given.place - 1, unused_key(given.key), given.bytes, given.sha256
      FROM part, unnest($12::text[], $13::bigint[], $14::text[]) WITH ORDINALITY AS given (key, bytes, sha256, place)`,
      [
        ...[id, nameId, log, seq, firstRow, rows, bytes, now],
        ...[arrowBytes, parquetExact, kind],
        objects.map((object) => object.key),
        objects.map((object) => object.bytes),
        objects.map((object) => object.sha256),
      ],
    );
  }

  /** The part came with its Parquet form. */
  addedTranscoded(sql: Transaction, partId: string, now: number): Promise<void> {
    return this.#transcoded.transcoded(sql, partId, now);
  }

  async untranscoded(sql: Sql, limit: number, smallBefore: number, now: number): Promise<PartRecord[]> {
    const soon = await sql.rows<SelectedPart>(
      `SELECT ${partColumns} FROM parts p WHERE ${transcodeSoon} AND ${unleased('transcode', '$1')} ORDER BY p.id LIMIT $2`,
      [now, limit],
    );
    if (soon.length === limit) return soon.map(selectedPart);
    const later = await sql.rows<SelectedPart>(
      `SELECT ${partColumns} FROM parts p WHERE ${transcodeLater} AND added_at <= $1 AND ${unleased('transcode', '$2')}
      ORDER BY added_at, p.id LIMIT $3`,
      [Math.min(smallBefore, Number.MAX_SAFE_INTEGER), now, limit - soon.length],
    );
    const found = [...soon, ...later];
    if (found.length === limit) return found.map(selectedPart);
    const again = await sql.rows<SelectedPart>(
      `SELECT ${partColumns} FROM parts p WHERE ${transcodeAgain} AND ${unleased('transcode', '$1')} ORDER BY p.id LIMIT $2`,
      [now, limit - found.length],
    );
    return [...found, ...again].map(selectedPart);
  }

  async transcodingBacklog(sql: Sql, tenant: string, partsMax: number): Promise<TranscodingBacklog> {
    const waiting = (condition: string, order: string) =>
      `(SELECT name_id, arrow_bytes FROM parts WHERE ${condition} ORDER BY ${order} LIMIT $1)`;
    const row = await sql.first<TranscodingBacklog>(
      `SELECT count(*) AS parts, coalesce(sum(w.arrow_bytes), 0) AS bytes FROM (
        SELECT * FROM (${waiting(transcodeSoon, 'id')} UNION ALL ${waiting(transcodeLater, 'added_at')}) u LIMIT $1) w
      JOIN names n ON n.id = w.name_id WHERE n.tenant = $2`,
      [partsMax, tenant],
    );
    return { parts: row?.parts ?? 0, bytes: row?.bytes ?? 0 };
  }

  /** In the order of the ids. Those that have gone are left out. */
  async byIds(sql: Sql, partIds: readonly string[]): Promise<PartRecord[]> {
    const rows = await sql.rows<SelectedPart>(
      `SELECT ${partColumns} FROM unnest($1::text[]) WITH ORDINALITY AS wanted (part_id, place)
      JOIN parts p ON p.part_id = wanted.part_id ORDER BY wanted.place`,
      [partIds],
    );
    return rows.map(selectedPart);
  }

  async evictable(sql: Sql, limit: number): Promise<PartRecord[]> {
    const rows = await sql.rows<SelectedPart>(
      `SELECT ${partColumns} FROM parts p WHERE parquet_exact = 1 AND arrow_bytes IS NOT NULL
        AND p.id NOT IN (${quarantinedParts}) ORDER BY p.id LIMIT $1`,
      [limit],
    );
    return rows.map(selectedPart);
  }

  async unpacked(sql: Sql, limit: number, now: number): Promise<PartRecord[]> {
    const rows = await sql.rows<SelectedPart>(
      `SELECT ${partColumns} FROM parts p
      WHERE arrow_level = 0 AND arrow_bytes IS NOT NULL AND (parquet_exact = 0 OR refusal IS NOT NULL)
        AND ${unleased('recompress', '$1')} AND p.id NOT IN (${quarantinedParts})
      ORDER BY p.id LIMIT $2`,
      [now, limit],
    );
    return rows.map(selectedPart);
  }

  async arrowBytes(sql: Sql): Promise<number> {
    const row = await sql.first<{ bytes: number }>(
      'SELECT coalesce(sum(arrow_bytes), 0) AS bytes FROM tenants',
    );
    return row?.bytes ?? 0;
  }

  async addForm(sql: Transaction, partId: string, form: PartForm, now: number): Promise<boolean> {
    const added = formAddition(await this.lock(sql, partId), form);
    if (added === 'same') return true;
    if (added === 'late') return this.#discardObjects(sql, form);
    if (added.replacesDamaged) this.#replace(sql, added.part, form.kind, now);
    this.#setForm(sql, added.part, form);
    if (form.kind === 'parquet') await this.#transcoded.transcoded(sql, partId, now);
    return true;
  }

  async replaceArrow(
    sql: Transaction,
    partId: string,
    before: string,
    packed: StoredObject,
    level: number,
  ): Promise<boolean> {
    const part = arrowReplacement(await this.lock(sql, partId), before, packed.key);
    if (part === 'same') return true;
    const form = { kind: 'arrow', objects: [packed], exact: true } as const;
    if (part === 'late') return this.#discardObjects(sql, form);
    this.#removeForm(sql, part, 'arrow');
    this.#setForm(sql, part, form);
    this.#setArrowLevel(sql, partId, level);
    return true;
  }

  async keepArrow(sql: Transaction, partId: string, level: number): Promise<void> {
    await this.lock(sql, partId);
    this.#setArrowLevel(sql, partId, level);
  }

  async refuseTranscoding(sql: Transaction, partId: string, reason: string, now: number): Promise<void> {
    const part = await this.lock(sql, partId);
    if (!part) return;
    this.refuseDamaged(sql, partId, reason);
    if (isTranscodedByRefusal(part)) await this.#transcoded.transcoded(sql, partId, now);
  }

  /** The same, for a part that cannot be read: its frame is not transcoded, it is damaged. */
  refuseDamaged(sql: Transaction, partId: string, reason: string): void {
    sql.send('UPDATE parts SET refusal = $1 WHERE part_id = $2', [reason, partId]);
  }

  async evict(sql: Transaction, partId: string): Promise<void> {
    const part = await this.lock(sql, partId);
    if (part && isEvictable(part)) this.dropForm(sql, part, 'arrow');
  }

  /** Locks the name of the part, and reads it then. */
  async lock(sql: Transaction, partId: string): Promise<FoundPart | undefined> {
    sql.send(
      `SELECT 1 FROM names WHERE id = (SELECT name_id FROM parts WHERE part_id = $1) FOR NO KEY UPDATE`,
      [partId],
    );
    const row = await sql.first<SelectedPart>(`SELECT ${partColumns} FROM parts p WHERE p.part_id = $1`, [
      partId,
    ]);
    return row && foundPart(row);
  }

  /** Removes a form, whatever else there is; a part without its Parquet form is transcoded again. */
  dropForm(sql: Transaction, part: FoundPart, kind: PartForm['kind']): void {
    this.#removeForm(sql, part, kind);
    const column = kind === 'arrow' ? 'arrow_bytes' : 'parquet_exact';
    sql.send(`UPDATE parts SET ${column} = NULL WHERE id = $1`, [part.id]);
  }

  /** Removes an object of a form that was replaced. */
  dropReplaced(sql: Transaction, key: string): void {
    sql.send(
      `WITH gone AS (DELETE FROM objects WHERE key = $1 AND kind = '${replacedKind}' RETURNING key)
      INSERT INTO garbage (key) SELECT key FROM gone`,
      [key],
    );
  }

  /** Removes the parts of a log from `seq` on. */
  removeTail(sql: Transaction, nameId: number, log: number, seq: number): void {
    this.remove(sql, nameId, log, seq, Number.MAX_SAFE_INTEGER);
  }

  /** Removes the parts of a log from `first` to `last`. */
  remove(sql: Transaction, nameId: number, log: number, first: number, last: number): void {
    sql.send(
      `WITH gone AS (DELETE FROM parts WHERE name_id = $1 AND log = $2 AND seq BETWEEN $3 AND $4 RETURNING id)
      INSERT INTO garbage (key) SELECT o.key FROM gone JOIN objects o ON o.part = gone.id`,
      [nameId, log, first, last],
    );
  }

  /** All parts of one log, each with its place, become parts of another. */
  moveLog(sql: Transaction, nameId: number, from: number, to: number): void {
    sql.send('UPDATE parts SET log = $1 WHERE name_id = $2 AND log = $3', [to, nameId, from]);
  }

  /** Objects that came too late to be used: they become garbage. */
  discard(sql: Transaction, objects: readonly StoredObject[]): void {
    sql.send('INSERT INTO garbage (key) SELECT unnest($1::text[]) ON CONFLICT (key) DO NOTHING', [
      objects.map((object) => object.key),
    ]);
  }

  #setForm(sql: Transaction, part: FoundPart, form: PartForm): void {
    sql.send(
      `INSERT INTO objects SELECT $1, $2, place - 1, unused_key(key), bytes, sha256
      FROM unnest($3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY AS given (key, bytes, sha256, place)`,
      [
        part.id,
        form.kind,
        keysOf(form),
        form.objects.map((object) => object.bytes),
        form.objects.map((object) => object.sha256),
      ],
    );
    const column = form.kind === 'parquet' ? 'parquet_exact' : 'arrow_bytes';
    sql.send(`UPDATE parts SET ${column} = $1 WHERE id = $2`, [formValue(form), part.id]);
  }

  #removeForm(sql: Transaction, part: FoundPart, kind: PartForm['kind']): void {
    sql.send(
      `WITH gone AS (DELETE FROM objects WHERE part = $1 AND kind = $2 RETURNING key)
      INSERT INTO garbage (key) SELECT key FROM gone`,
      [part.id, kind],
    );
  }

  /** The damaged objects of a form, and those beside them, stay with the part and are none of its forms any more. */
  #replace(sql: Transaction, part: FoundPart, kind: PartForm['kind'], now: number): void {
    sql.send(
      `INSERT INTO damaged SELECT key, '${faultOfOthers}', $3 FROM objects WHERE part = $1 AND kind = $2
      ON CONFLICT (key) DO NOTHING`,
      [part.id, kind, now],
    );
    sql.send(
      `UPDATE objects SET kind = '${replacedKind}', seq = seq +
        (SELECT coalesce(max(seq) + 1, 0) FROM objects WHERE part = $1 AND kind = '${replacedKind}')
      WHERE part = $1 AND kind = $2`,
      [part.id, kind],
    );
  }

  #setArrowLevel(sql: Transaction, partId: string, level: number): void {
    sql.send('UPDATE parts SET arrow_level = $1 WHERE part_id = $2', [level, partId]);
  }

  /** They came too late to be used. */
  #discardObjects(sql: Transaction, form: PartForm): false {
    this.discard(sql, form.objects);
    return false;
  }
}

/** No process has leased this work on the part. */
function unleased(work: keyof typeof partWork, now: string): string {
  return `NOT EXISTS (SELECT 1 FROM claims c WHERE c.work = '${partWork[work]('')}' || p.part_id AND ${leaseHolds(now)})`;
}
