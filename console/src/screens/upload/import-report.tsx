import type { ImportReport } from '@framehold/client';
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { plural } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading, Spinner } from '../../ui/spinner.tsx';
import type { UploadMode } from '../../upload/upload-run.ts';

type Types = Readonly<Record<string, string>>;

const typeNames = [
  'VARCHAR',
  'BOOLEAN',
  'INTEGER',
  'BIGINT',
  'DOUBLE',
  'DECIMAL(18,4)',
  'DECIMAL(38,10)',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMP_NS',
  'TIMESTAMPTZ',
];

/** More columns than this are not looked at one by one, and a menu for each would be slow. */
const columnsShown = 100;

/** What the server found in the beginning of the file: before anything is stored. */
export function ImportReportView({
  report,
  error,
  isReading,
  mode,
  types,
  onTypes,
}: {
  readonly report: ImportReport | null;
  readonly error: unknown;
  readonly isReading: boolean;
  readonly mode: UploadMode;
  readonly types: Types;
  readonly onTypes: (types: Types) => void;
}) {
  if (error !== null) return <ErrorNote error={error} />;
  if (report === null) return <Loading label="Reading the beginning" />;
  const { columns, rows, rowCount, partial, problem } = report;
  return (
    <>
      <div class="report-summary">
        <h2>How it is read</h2>
        <p class="muted">
          {plural(columns.length, 'column')} · {plural(rowCount, 'row')}
          {partial ? ' in the first 16 MiB' : ''}
        </p>
        {isReading && <Spinner label="Reading again" />}
      </div>
      {problem !== null && (
        <div class="note note-error" role="alert">
          <Icon name="warning" />
          <div>
            <div>{problem.detail}</div>
            {problem.hint !== undefined && <div class="muted">{problem.hint}</div>}
          </div>
        </div>
      )}
      {mode === 'append' && (
        <p class="muted">The rows are converted to the types that the frame has; nothing is rounded.</p>
      )}
      {columns.length > 0 && (
        <div class="report-table card" tabIndex={0} role="region" aria-label="Columns and first rows">
          <table class="table">
            <thead>
              <tr>
                {columns.slice(0, columnsShown).map((column) => (
                  <th key={column.name} scope="col">
                    <span class="report-column" title={column.name}>
                      {column.name}
                    </span>
                    <TypeChoice
                      name={column.name}
                      found={column.type}
                      forced={types[column.name]}
                      onForce={(type) => onTypes(withType(types, column.name, type))}
                    />
                    <span class="report-why" title={column.why}>
                      {types[column.name] === undefined ? column.why : 'chosen'}
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>
                  {typeof row === 'string' ? (
                    <td colSpan={Math.min(columns.length, columnsShown)} class="mono report-object">
                      {row}
                    </td>
                  ) : (
                    row.slice(0, columnsShown).map((cell, at) => (
                      <td key={at} class="mono">
                        {cell === null ? <span class="muted">null</span> : cell}
                      </td>
                    ))
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {columns.length > columnsShown && (
        <p class="muted">And {plural(columns.length - columnsShown, 'more column')}.</p>
      )}
      <ForceType types={types} onTypes={onTypes} />
    </>
  );
}

function TypeChoice({
  name,
  found,
  forced,
  onForce,
}: {
  readonly name: string;
  readonly found: string;
  readonly forced: string | undefined;
  readonly onForce: (type: string | null) => void;
}) {
  const others = typeNames.filter((type) => type !== (forced ?? found));
  return (
    <select
      class="report-type"
      aria-label={`Type of ${name}`}
      value={forced ?? found}
      onChange={(event) => onForce(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    >
      <option value={forced ?? found}>{forced ?? found}</option>
      {forced !== undefined && <option value="">As it is found</option>}
      {others.map((type) => (
        <option key={type} value={type}>
          {type}
        </option>
      ))}
    </select>
  );
}

/** A column that is not in the report, because the error came first. */
function ForceType({ types, onTypes }: { readonly types: Types; readonly onTypes: (types: Types) => void }) {
  const [column, setColumn] = useState('');
  const [type, setType] = useState('VARCHAR');
  return (
    <details class="report-force">
      <summary>Set the type of a column by its name</summary>
      <div class="report-force-row">
        <input
          class="input"
          aria-label="Column"
          placeholder="Column"
          value={column}
          onInput={(event) => setColumn(event.currentTarget.value)}
        />
        <input
          class="input mono"
          aria-label="Type"
          list="type-names"
          value={type}
          onInput={(event) => setType(event.currentTarget.value)}
        />
        <datalist id="type-names">
          {typeNames.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Button
          disabled={column === '' || type === ''}
          onClick={() => {
            onTypes(withType(types, column, type));
            setColumn('');
          }}
        >
          Set
        </Button>
      </div>
      <ul class="report-forced">
        {Object.entries(types).map(([name, each]) => (
          <li key={name} class="badge badge-accent">
            {name}: {each}
            <button
              type="button"
              class="text-button"
              aria-label={`Do not set the type of ${name}`}
              onClick={() => onTypes(withType(types, name, null))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function withType(types: Types, column: string, type: string | null): Types {
  const { [column]: _, ...others } = types;
  return type === null ? others : { ...others, [column]: type };
}
