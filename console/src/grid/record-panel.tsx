import './record-panel.css';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import type { RowSource, Window } from './row-source.ts';

/** A cell of megabytes is shown in part, so that the panel stays quick; copying takes all of it. */
const shownTextMax = 20_000;
/** More columns than anyone reads; the search finds the others. */
const shownFieldsMax = 500;

/** One record with all its columns, below each other, with their full texts. */
export function RecordPanel({
  source,
  row,
  onRow,
  onClose,
}: {
  readonly source: RowSource;
  readonly row: number;
  readonly onRow: (row: number) => void;
  readonly onClose: () => void;
}) {
  const loaded = useSignal<{ readonly row: number; readonly window: Window } | null>(null);
  const failure = useSignal<unknown>(null);
  const search = useSignal('');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const request = new AbortController();
    failure.value = null;
    source
      .window(
        row,
        1,
        source.columns.peek().map((_, column) => column),
        request.signal,
      )
      .then((window) => {
        if (!request.signal.aborted) loaded.value = { row, window };
      })
      .catch((error) => {
        if (!request.signal.aborted) failure.value = error;
      });
    return () => request.abort();
  }, [source, row]);

  const wanted = search.value.trim().toLowerCase();
  const fields = source.columns.value
    .map((column, index) => ({ ...column, index }))
    .filter(({ name }) => wanted === '' || name.toLowerCase().includes(wanted));
  const shown = loaded.value;
  const number = shown?.window.rowNumber?.(shown.row) ?? BigInt(row);
  return (
    <aside
      class="record"
      aria-label="Record"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header class="record-header">
        <h2 ref={heading}>Row {(number + 1n).toLocaleString('en')}</h2>
        <IconButton icon="sort_up" label="Previous row" disabled={row === 0} onClick={() => onRow(row - 1)} />
        <IconButton
          icon="sort_down"
          label="Next row"
          disabled={row + 1 >= source.rowCount.value}
          onClick={() => onRow(row + 1)}
        />
        <IconButton icon="close" label="Close the record" onClick={onClose} />
      </header>
      {source.columns.value.length > 12 && (
        <input
          class="input record-search"
          type="search"
          placeholder={`Search ${source.columns.value.length.toLocaleString('en')} columns`}
          aria-label="Search columns"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
      )}
      {failure.value !== null && <ErrorNote error={failure.value} />}
      <section class="record-fields" tabIndex={0} aria-label="Columns of the record">
        <dl>
          {shown !== null &&
            fields
              .slice(0, shownFieldsMax)
              .map(({ name, type, index }) => (
                <Field key={index} name={name} type={type} text={shown.window.text(shown.row, index)} />
              ))}
        </dl>
        {fields.length > shownFieldsMax && (
          <p class="muted record-more">
            {(fields.length - shownFieldsMax).toLocaleString('en')} more: search to find them.
          </p>
        )}
      </section>
    </aside>
  );
}

function Field({
  name,
  type,
  text,
}: {
  readonly name: string;
  readonly type: string;
  readonly text: string | null;
}) {
  return (
    <div class="record-field">
      <dt>
        <span class="clip" title={name}>
          {name === '' ? '(no name)' : name}
        </span>
        <span class="record-type">{type.toLowerCase()}</span>
      </dt>
      <dd>
        {text === null ? (
          <span class="record-mark">null</span>
        ) : text === '' ? (
          <span class="record-mark">empty text</span>
        ) : (
          <span class="record-text">{text.slice(0, shownTextMax)}</span>
        )}
        {text !== null && text.length > shownTextMax && (
          <span class="muted"> … {text.length.toLocaleString('en')} characters in all</span>
        )}
        {text !== null && <CopyButton text={text} label={`Copy ${name}`} />}
      </dd>
    </div>
  );
}
