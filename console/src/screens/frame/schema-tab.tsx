import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { countText } from '../../ui/format.ts';
import { ColumnNotesDialog } from './column-notes.tsx';
import type { FrameState } from './frame-state.ts';
import { mayChange } from './may-change.ts';

/** More rows of a table slow the page down; the search finds the others. */
const shownMax = 500;

/** Columns with their types, as they are stored and as SQL sees them. */
export function SchemaTab({ frame }: { readonly frame: FrameState }) {
  const search = useSignal('');
  const described = useSignal<string | null>(null);
  useEffect(() => {
    // The SQL types are an addition: the tab is complete without them.
    frame.loadSqlColumns().catch(() => undefined);
  }, [frame]);
  const { columns } = frame.manifest;
  const sql = frame.sqlColumns.value;
  const notes = frame.notes.value?.columns ?? {};
  const notesOf = (name: string) => (Object.hasOwn(notes, name) ? notes[name] : undefined);
  const canChange = frame.notes.value !== null && mayChange(frame.manifest.name);
  const wanted = search.value.trim().toLowerCase();
  const found = columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ name, type }) => {
      const { comment, unit } = notesOf(name) ?? {};
      return `${name} ${type} ${unit ?? ''} ${comment ?? ''}`.toLowerCase().includes(wanted);
    });
  return (
    <div class="frame-page">
      {columns.length > 12 && (
        <input
          class="input frame-search"
          type="search"
          aria-label="Search columns"
          placeholder={`Search ${countText(columns.length)} columns`}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
      )}
      <div class="card table-card">
        <table class="table">
          <thead>
            <tr>
              <th class="numeric">#</th>
              <th>Column</th>
              <th>Type</th>
              <th>In SQL</th>
              <th>Unit</th>
              <th>Comment</th>
              <th>
                <span class="unseen">Copy</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, shownMax).map(({ name, type, dim, elemType, index }) => (
              <tr key={index}>
                <td class="numeric muted">{index + 1}</td>
                <td class="mono schema-name">{name === '' ? <em>no name</em> : name}</td>
                <td>
                  {type.toLowerCase()}
                  {elemType !== undefined && (
                    <span class="muted">
                      {' '}
                      of {elemType.toLowerCase()}
                      {dim !== undefined && dim > 1 ? `, ${dim} deep` : ''}
                    </span>
                  )}
                </td>
                <td class="mono muted schema-sql">{sqlText(sql?.columns[index], sql !== null)}</td>
                <td>{notesOf(name)?.unit}</td>
                <td class="schema-comment">{notesOf(name)?.comment}</td>
                <td class="schema-copy">
                  {canChange && name !== '' && (
                    <Button
                      kind="quiet"
                      aria-label={`Describe ${name}`}
                      onClick={() => {
                        described.value = name;
                      }}
                    >
                      Describe
                    </Button>
                  )}
                  <CopyButton text={name} label={`Copy ${name}`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shownMax && (
        <p class="muted">{countText(found.length - shownMax)} more: search to find them.</p>
      )}
      {found.length === 0 && <p class="muted">No column matches.</p>}
      {described.value !== null && (
        <ColumnNotesDialog
          frame={frame}
          column={described.value}
          notes={notesOf(described.value)}
          onClose={() => {
            described.value = null;
          }}
        />
      )}
    </div>
  );
}

function sqlText(
  column: { readonly sqlName: string; readonly sqlType: string; readonly name: string } | null | undefined,
  isKnown: boolean,
): string {
  if (!isKnown) return '';
  if (column == null) return 'not readable';
  return column.sqlName === column.name ? column.sqlType : `${column.sqlName} ${column.sqlType}`;
}
