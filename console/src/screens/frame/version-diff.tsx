import type { Diff } from '@framehold/client';
import { href } from '../../shell/router.ts';
import { countText, plural } from '../../ui/format.ts';

/** The difference of two versions in words. */
export function VersionDiff({ name, diff }: { readonly name: string; readonly diff: Diff }) {
  const { schema, to } = diff;
  const isSameSchema =
    schema.added.length + schema.removed.length + schema.changed.length === 0 && !schema.reordered;
  return (
    <dl class="diff">
      <dt>Rows</dt>
      <dd>
        <RowChanges name={name} diff={diff} />
      </dd>
      <dt>Columns</dt>
      <dd>
        {isSameSchema && 'unchanged'}
        {schema.added.map((column) => (
          <div key={column.name} class="diff-added">
            + <span class="mono">{column.name}</span> {column.type.toLowerCase()}
          </div>
        ))}
        {schema.removed.map((column) => (
          <div key={column.name} class="diff-removed">
            − <span class="mono">{column.name}</span> {column.type.toLowerCase()}
          </div>
        ))}
        {schema.changed.map((column) => (
          <div key={column.name}>
            <span class="mono">{column.name}</span>: {column.from.toLowerCase()} → {column.to.toLowerCase()}
          </div>
        ))}
        {schema.reordered && <div>in another order in version {to}</div>}
      </dd>
    </dl>
  );
}

function RowChanges({ name, diff: { rows, from, to } }: { readonly name: string; readonly diff: Diff }) {
  switch (rows.kind) {
    case 'same':
      return <>unchanged</>;
    case 'appended':
      return (
        <>
          <span class="diff-added">+ {plural(rows.count, 'row')}</span> appended.{' '}
          <a href={href('frames', `${name}@${to}`, 'rows', { row: String(rows.offset + 1) })}>
            Show the first of them
          </a>
        </>
      );
    case 'compared':
      return (
        <>
          <div class="diff-added">
            + {plural(rows.onlyInTo, 'row')} only in version {to}
          </div>
          <div class="diff-removed">
            − {plural(rows.onlyInFrom, 'row')} only in version {from}
          </div>
          <div>{countText(rows.inBoth)} in both</div>
        </>
      );
    case 'not_comparable':
      return <>cannot be compared: {rows.reason}</>;
  }
}
