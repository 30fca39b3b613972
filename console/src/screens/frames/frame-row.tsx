import type { ManifestSummary } from '@framehold/client';
import { downloadItems } from '../../server/download.ts';
import { dropFrame } from '../../server/drop-frame.ts';
import { changedAt } from '../../server/frame-list.ts';
import { href, navigate, route, setParameters } from '../../shell/router.ts';
import { quotedName } from '../../sql/sql-names.ts';
import { now } from '../../ui/clock.ts';
import { copyText } from '../../ui/copy-button.tsx';
import { agoText, bytesText, countText, timeText, untilText } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { MenuButton } from '../../ui/menu.tsx';
import { type FrameColumn, nextOrder, orderText, originText, parseOrder } from './frame-order.ts';

export const frameColumns: readonly { readonly column: FrameColumn; readonly label: string }[] = [
  { column: 'name', label: 'Name' },
  { column: 'rows', label: 'Rows' },
  { column: 'bytes', label: 'Size' },
  { column: 'version', label: 'Version' },
  { column: 'age', label: 'Changed' },
  { column: 'expiry', label: 'Expires' },
  { column: 'origin', label: 'Origin' },
];

export function FrameHeader() {
  const order = parseOrder(route.value.parameters.get('sort'));
  return (
    <div class="entry-row entry-head" role="row" aria-rowindex={1}>
      {frameColumns.map(({ column, label }) => {
        const isSorted = order.column === column;
        return (
          <div
            key={column}
            role="columnheader"
            class={`entry-${column}`}
            aria-sort={isSorted ? (order.descending ? 'descending' : 'ascending') : 'none'}
          >
            <button
              type="button"
              class="entry-sort"
              onClick={() => setParameters({ sort: orderText(nextOrder(order, column)) })}
            >
              {label}
              {isSorted && <Icon name={order.descending ? 'sort_down' : 'sort_up'} size={12} />}
            </button>
          </div>
        );
      })}
      <div role="columnheader" class="entry-actions">
        <span class="unseen">Actions</span>
      </div>
    </div>
  );
}

/** Rows that changed within this time flash. */
const flashMs = 2_000;

export function FrameRow({
  frame,
  index,
  isShared,
}: {
  readonly frame: ManifestSummary;
  readonly index: number;
  readonly isShared: boolean;
}) {
  const { name, version, rows, bytes, createdAt, expiresAt } = frame;
  const isNew = Date.now() - (changedAt.get(name) ?? 0) < flashMs;
  return (
    <div
      // Another version is another row: its flash begins anew.
      key={`${name}@${version}`}
      class={`entry-row ${isNew ? 'entry-flash' : ''}`}
      role="row"
      aria-rowindex={index + 2}
    >
      <div role="cell" class="entry-name clip">
        <a href={href('frames', name)} title={name} data-row={index}>
          {name}
        </a>
      </div>
      <div role="cell" class="entry-rows" title={`${countText(rows)} rows`}>
        {countText(rows)}
        <span class="entry-unit">{rows === 1 ? ' row' : ' rows'}</span>
      </div>
      <div role="cell" class="entry-bytes" title={`${countText(bytes)} bytes`}>
        {bytesText(bytes)}
      </div>
      <div role="cell" class="entry-version">
        {version}
      </div>
      <div role="cell" class="entry-age clip" title={timeText(createdAt)}>
        {agoText(createdAt, now.value)}
      </div>
      <div role="cell" class="entry-expiry clip" title={expiresAt === null ? 'Never' : timeText(expiresAt)}>
        {expiresAt === null ? '–' : untilText(expiresAt, now.value)}
      </div>
      <div role="cell" class="entry-origin clip">
        {originText(frame)}
      </div>
      <div role="cell" class="entry-actions">
        <MenuButton label={`Actions for ${name}`} icon="more" items={() => actionsOf(frame, isShared)} />
      </div>
    </div>
  );
}

function actionsOf({ name, handle }: ManifestSummary, isShared: boolean) {
  return [
    {
      label: 'Query',
      icon: 'query' as const,
      run: () =>
        navigate(href('query', null, null, { sql: `select *\nfrom ${quotedName(name)}\nlimit 100` })),
    },
    { label: 'Copy the handle', icon: 'copy' as const, hint: handle, run: () => void copyText(handle) },
    ...downloadItems(handle),
    ...(isShared
      ? []
      : [
          {
            label: 'Append rows',
            icon: 'upload' as const,
            separated: true,
            run: () => navigate(href('upload', null, null, { name, mode: 'append' })),
          },
          { label: 'Drop', icon: 'drop' as const, kind: 'danger' as const, run: () => void dropFrame(name) },
        ]),
  ];
}
