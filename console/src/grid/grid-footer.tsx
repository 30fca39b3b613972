import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { GridStatus } from './grid-controller.ts';
import type { RowSource } from './row-source.ts';
import { rectangleOf } from './selection.ts';
import type { GridView } from './view-state.ts';

/** Which rows are shown, how many there are, what is selected, and a way to any of them. */
export function GridFooter({
  status,
  source,
  view,
  isGoingTo,
  onGoTo,
}: {
  readonly status: ReadonlySignal<GridStatus | null>;
  readonly source: RowSource;
  readonly view: Signal<GridView>;
  readonly isGoingTo: Signal<boolean>;
  readonly onGoTo: (row: number) => void;
}) {
  const count = source.rowCount.value;
  const shown = status.value;
  const { hidden } = view.value;
  return (
    <div class="grid-footer">
      <span class="grid-footer-rows">
        {count === 0 || shown === null
          ? `${formatted(count)} rows`
          : `Rows ${formatted(shown.firstRow + 1)}–${formatted(shown.endRow)} of ${formatted(count)}`}
        {!source.isComplete.value && ' so far'}
      </span>
      {shown?.hasBlanks && <Spinner label="Rows are loading" />}
      <SelectionText status={shown} />
      {hidden.length > 0 && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            view.value = { ...view.peek(), hidden: [] };
          }}
        >
          Show {hidden.length} hidden {hidden.length === 1 ? 'column' : 'columns'}
        </button>
      )}
      <GoToRow count={count} isGoingTo={isGoingTo} onGoTo={onGoTo} />
    </div>
  );
}

function SelectionText({ status }: { readonly status: GridStatus | null }) {
  if (status === null) return null;
  const { firstRow, lastRow, firstPlace, lastPlace } = rectangleOf(status.selection);
  const rows = lastRow - firstRow + 1;
  const columns = lastPlace - firstPlace + 1;
  if (rows * columns <= 1 || firstRow < 0) return null;
  return (
    <span class="muted">
      {formatted(rows)} × {formatted(columns)} selected
    </span>
  );
}

function GoToRow({
  count,
  isGoingTo,
  onGoTo,
}: {
  readonly count: number;
  readonly isGoingTo: Signal<boolean>;
  readonly onGoTo: (row: number) => void;
}) {
  const text = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isGoingTo.value) input.current?.focus();
  }, [isGoingTo.value]);
  if (!isGoingTo.value) {
    return (
      <button
        ref={button}
        type="button"
        class="text-button grid-go"
        disabled={count === 0}
        onClick={() => {
          isGoingTo.value = true;
        }}
      >
        Go to row <kbd>g</kbd>
      </button>
    );
  }
  // Numbers as people write and paste them: 1,234,567 or 1 234 567.
  const row = Number(text.value.replaceAll(/[\s,_.]/g, ''));
  const isValid = text.value.trim() !== '' && Number.isSafeInteger(row) && row >= 1 && row <= count;
  const close = () => {
    isGoingTo.value = false;
    text.value = '';
  };
  return (
    <form
      class="grid-go"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isValid) return;
        onGoTo(row - 1);
        close();
      }}
    >
      <input
        ref={input}
        class="input"
        inputMode="numeric"
        aria-label={`Row, from 1 to ${count}`}
        aria-invalid={text.value !== '' && !isValid}
        placeholder={`1 – ${formatted(count)}`}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          close();
        }}
      />
      <IconButton icon="arrow_right" label="Go" type="submit" disabled={!isValid} />
    </form>
  );
}

function formatted(count: number): string {
  return count.toLocaleString('en');
}
