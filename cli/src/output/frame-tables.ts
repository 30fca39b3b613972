import type { ColumnType, ListedVersion } from '../../../client/src/index.ts';
import { byteText, countText, timeText } from './readable-numbers.ts';
import { tableOfRows } from './terminal-table.ts';

/** With what pins them, if something does. */
export function tableOf(frames: readonly ListedVersion[], width: number): string {
  const hasPins = frames.some(({ pins }) => pins !== undefined);
  return tableOfRows(
    [
      { title: 'NAME' },
      { title: 'VERSION', isRight: true },
      { title: 'ROWS', isRight: true },
      { title: 'SIZE', isRight: true },
      { title: 'CREATED' },
      { title: 'EXPIRES' },
      ...(hasPins ? [{ title: 'PINNED' }] : []),
    ],
    frames.map(({ name, version, rows, bytes, createdAt, expiresAt, pins }) => [
      name,
      `${version}`,
      countText(rows),
      byteText(bytes),
      timeText(createdAt),
      expiresAt === null ? '-' : timeText(expiresAt),
      ...(hasPins ? [pinsText(pins)] : []),
    ]),
    width,
  );
}

function pinsText(pins: ListedVersion['pins']): string {
  if (pins === undefined) return '-';
  return pins
    .map(({ by, count, until }) => {
      const kind = `${count === 1 ? '' : `${count} `}${by}`;
      return until === null ? kind : `${kind}, until ${timeText(until)}`;
    })
    .join('; ');
}

export function columnTable(columns: readonly ColumnType[], width: number): string {
  return tableOfRows(
    [{ title: 'COLUMN' }, { title: 'TYPE' }],
    columns.map((column) => [column.name, typeText(column)]),
    width,
  );
}

function typeText({ type, dim, elemType }: ColumnType): string {
  return elemType === undefined ? type : `${elemType}${'[]'.repeat(dim ?? 1)}`;
}
