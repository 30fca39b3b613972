import './column-menu.css';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { type Filter, FilterError, type Operator, operatorsFor, whereClause } from './filter-sql.ts';
import type { ColumnDescription, GridColumn } from './row-source.ts';
import type { GridView } from './view-state.ts';

export const operatorLabels: Readonly<Record<Operator, string>> = {
  eq: '=',
  ne: '≠',
  lt: '<',
  le: '≤',
  gt: '>',
  ge: '≥',
  contains: 'contains',
  in: 'is one of',
  null: 'is null',
  notnull: 'is not null',
};

/** What can be done with a column. Everything it changes is in the view, and so in the URL. */
export function ColumnMenu({
  anchor,
  column,
  description,
  view,
  canQuery,
  onStatistics,
  onFit,
  onClose,
}: {
  readonly anchor: DOMRect;
  readonly column: GridColumn;
  readonly description: ColumnDescription | null;
  readonly view: Signal<GridView>;
  readonly canQuery: boolean;
  readonly onStatistics: ((column: GridColumn) => void) | undefined;
  readonly onFit: () => void;
  readonly onClose: () => void;
}) {
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector('button')?.focus(), []);
  const { sort, hidden, frozen } = view.value;
  const { name } = column;
  const key = sort.find((each) => each.column === name);
  const change = (changes: Partial<GridView>) => {
    view.value = { ...view.peek(), ...changes };
    onClose();
  };
  const sortBy = (isDescending: boolean) => {
    const isSame = key !== undefined && key.isDescending === isDescending;
    change({ sort: isSame ? [] : [{ column: name, isDescending }] });
  };
  const isFrozen = frozen.includes(name);
  const canSort = canQuery && description?.sqlType != null;
  return (
    <Popover anchor={anchor} onClose={onClose} class="column-menu" role="dialog" label={`Column ${name}`}>
      <div class="column-menu-heading">
        <strong class="clip">{name === '' ? '(no name)' : name}</strong>
        <span class="muted">{column.type.toLowerCase()}</span>
      </div>
      <div ref={first} class="column-menu-actions" role="group" aria-label="Actions" onKeyDown={moveFocus}>
        {canSort && (
          <>
            <Action icon="sort_up" isOn={key?.isDescending === false} onClick={() => sortBy(false)}>
              Sort ascending
            </Action>
            <Action icon="sort_down" isOn={key?.isDescending === true} onClick={() => sortBy(true)}>
              Sort descending
            </Action>
          </>
        )}
        <Action
          icon="pin"
          isOn={isFrozen}
          onClick={() =>
            change({ frozen: isFrozen ? frozen.filter((each) => each !== name) : [...frozen, name] })
          }
        >
          {isFrozen ? 'Unfreeze' : 'Freeze'}
        </Action>
        <Action icon="close" onClick={() => change({ hidden: [...hidden, name] })}>
          Hide
        </Action>
        <Action
          icon="columns"
          onClick={() => {
            onFit();
            onClose();
          }}
        >
          Fit width
        </Action>
        {onStatistics !== undefined && (
          <Action
            icon="status"
            onClick={() => {
              onClose();
              onStatistics(column);
            }}
          >
            Statistics
          </Action>
        )}
        <Action
          icon="copy"
          onClick={() => {
            onClose();
            void copyText(name);
          }}
        >
          Copy name
        </Action>
      </div>
      {canSort && description?.sqlType != null && (
        <FilterForm
          column={column}
          sqlType={description.sqlType}
          topValues={description.topValues}
          loadTopValues={description.loadTopValues}
          filters={view.value.filters}
          onFilters={(filters) => change({ filters })}
        />
      )}
      {canQuery && description !== null && description.sqlType === null && (
        <p class="column-menu-note">
          SQL cannot read this column exactly, so it cannot be sorted or filtered.
        </p>
      )}
    </Popover>
  );
}

/** Arrows move between the actions, as in a menu. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons.at((at + by) % buttons.length)?.focus();
}

function Action({
  icon,
  isOn = false,
  onClick,
  children,
}: {
  readonly icon: IconName;
  readonly isOn?: boolean;
  readonly onClick: () => void;
  readonly children: string;
}) {
  return (
    <button type="button" class={`menu-item ${isOn ? 'is-on' : ''}`} aria-pressed={isOn} onClick={onClick}>
      <span class="menu-icon">
        <Icon name={icon} />
      </span>
      <span class="menu-label">{children}</span>
      {isOn && <Icon name="check" size={14} />}
    </button>
  );
}

function FilterForm({
  column: { name },
  sqlType,
  topValues,
  loadTopValues,
  filters,
  onFilters,
}: {
  readonly column: GridColumn;
  readonly sqlType: string;
  readonly topValues: readonly string[];
  readonly loadTopValues: (() => void) | undefined;
  readonly filters: readonly Filter[];
  readonly onFilters: (filters: readonly Filter[]) => void;
}) {
  const others = filters.filter((filter) => filter.column !== name);
  const current = filters.find((filter) => filter.column === name);
  const allowed = operatorsFor(sqlType);
  const operator = useSignal<Operator>(current?.operator ?? allowed[0] ?? 'notnull');
  const value = useSignal(current?.operator === 'in' ? '' : (current?.values[0] ?? ''));
  const chosen = useSignal<readonly string[]>(current?.operator === 'in' ? current.values : []);
  const problem = useSignal<string | null>(null);
  const needsValue = operator.value !== 'null' && operator.value !== 'notnull';
  useEffect(() => {
    if (operator.value === 'in') loadTopValues?.();
  }, [operator.value]);
  const choices = [...new Set([...chosen.value, ...topValues])];

  const apply = () => {
    const typed = value.value === '' ? [] : [value.value];
    const values = operator.value === 'in' ? [...new Set([...chosen.value, ...typed])] : [value.value];
    const filter = { column: name, operator: operator.value, values: needsValue ? values : [] };
    try {
      whereClause([filter], [{ name, sqlName: name, sqlType }]);
      onFilters([...others, filter]);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      problem.value = error.message;
    }
  };
  return (
    <form
      class="column-filter"
      aria-label={`Filter ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <div class="column-filter-line">
        <select
          class="input"
          aria-label="Condition"
          value={operator.value}
          onChange={(event) => {
            operator.value = event.currentTarget.value as Operator;
            problem.value = null;
          }}
        >
          {allowed.map((each) => (
            <option key={each} value={each}>
              {operatorLabels[each]}
            </option>
          ))}
        </select>
        {needsValue && (
          <input
            class="input mono"
            aria-label="Value"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem.value !== null}
            placeholder={operator.value === 'in' ? 'another value' : 'value'}
            value={value.value}
            onInput={(event) => {
              value.value = event.currentTarget.value;
              problem.value = null;
            }}
          />
        )}
      </div>
      {operator.value === 'in' && choices.length > 0 && (
        <div class="column-filter-values">
          {choices.map((choice) => (
            <label key={choice} class="check">
              <input
                type="checkbox"
                checked={chosen.value.includes(choice)}
                onChange={(event) => {
                  chosen.value = event.currentTarget.checked
                    ? [...chosen.value, choice]
                    : chosen.value.filter((each) => each !== choice);
                }}
              />
              <span class="clip mono">{choice === '' ? '(empty)' : choice}</span>
            </label>
          ))}
        </div>
      )}
      {problem.value !== null && (
        <p class="field-error" role="alert">
          {problem.value}
        </p>
      )}
      <div class="column-filter-line">
        <Button type="submit" kind="primary">
          Filter
        </Button>
        {current !== undefined && <Button onClick={() => onFilters(others)}>Clear</Button>}
      </div>
    </form>
  );
}
