import type { HistoryEntry } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote, isAbort } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { agoText, durationText, plural, timeText } from '../../ui/format.ts';
import { Loading } from '../../ui/spinner.tsx';
import { engineLabels } from './engine-choice.tsx';
import { openTab, selectedTab } from './query-tabs.ts';
import { SidePanelFrame } from './side-panel.tsx';

const pageRows = 50;

/** The caller's own statements, newest first. A click opens one in a tab and does not run it. */
export function HistoryPanel({ onClose }: { readonly onClose: () => void }) {
  const search = useSignal('');
  const entries = useSignal<readonly HistoryEntry[] | null>(null);
  const next = useSignal<string | null>(null);
  const failure = useSignal<unknown>(null);
  const isClearing = useSignal(false);
  // A statement that ends while the panel is open appears in it.
  const ended = selectedTab.value?.run.value?.state.value;

  const load = async (cursor: string | null, signal?: AbortSignal) => {
    try {
      const page = await api.history.list({
        limit: pageRows,
        ...(search.peek() === '' ? {} : { search: search.peek() }),
        ...(cursor === null ? {} : { cursor }),
        ...(signal === undefined ? {} : { signal }),
      });
      entries.value = cursor === null ? page.history : [...(entries.peek() ?? []), ...page.history];
      next.value = page.next;
      failure.value = null;
    } catch (error) {
      if (!isAbort(error)) failure.value = error;
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    // Typing is not asked about letter by letter. The history is written a moment after a statement has ended.
    const timer = setTimeout(() => load(null, abort.signal), entries.peek() === null ? 0 : 300);
    const later = setTimeout(() => load(null, abort.signal), 1_500);
    return () => {
      clearTimeout(timer);
      clearTimeout(later);
      abort.abort();
    };
  }, [search.value, ended]);

  const clear = async () => {
    isClearing.value = false;
    try {
      await api.history.clear();
    } catch (error) {
      failure.value = error;
    }
    await load(null);
  };
  return (
    <SidePanelFrame
      title="History"
      onClose={onClose}
      tools={
        entries.value !== null &&
        entries.value.length > 0 && (
          <IconButton icon="drop" label="Clear the history" onClick={() => (isClearing.value = true)} />
        )
      }
    >
      <div class="query-side-search">
        <TextField
          label={<span class="unseen">Search the history</span>}
          placeholder="Search"
          value={search.value}
          onText={(text) => (search.value = text)}
        />
      </div>
      <div class="query-side-list">
        {failure.value !== null && <ErrorNote error={failure.value} retry={() => load(null)} />}
        {entries.value === null && failure.value === null && <Loading label="Reading the history" />}
        {entries.value?.length === 0 && (
          <EmptyState icon="history" title={search.value === '' ? 'Nothing yet' : 'Nothing found'}>
            <p class="muted">Statements that you run are listed here for 30 days.</p>
          </EmptyState>
        )}
        <ul>
          {entries.value?.map((entry) => (
            <li key={entry.id}>
              <HistoryRow entry={entry} />
            </li>
          ))}
        </ul>
        {next.value !== null && <Button onClick={() => load(next.peek())}>Show more</Button>}
      </div>
      {isClearing.value && (
        <Dialog
          title="Clear the history?"
          size="small"
          onClose={() => (isClearing.value = false)}
          onSubmit={clear}
          footer={
            <>
              <Button onClick={() => (isClearing.value = false)}>Keep it</Button>
              <Button kind="danger" type="submit">
                Clear
              </Button>
            </>
          }
        >
          <p>All statements that you have run are removed from the server. This cannot be undone.</p>
        </Dialog>
      )}
    </SidePanelFrame>
  );
}

const states = { done: 'Done', failed: 'Failed', cancelled: 'Cancelled' } as const;

function HistoryRow({ entry }: { readonly entry: HistoryEntry }) {
  const { sql, engine, state, error, rows, startedAt, durationMs } = entry;
  return (
    <button
      type="button"
      class="query-entry"
      title={sql.slice(0, 2_000)}
      onClick={() => openTab(sql, { engine })}
    >
      <code class="query-entry-sql">{sql.slice(0, 300)}</code>
      <span class="query-entry-facts">
        <span class={`query-state query-state-${state}`}>{states[state]}</span>
        {engine !== 'duckdb' && <span>{engineLabels[engine]}</span>}
        {state === 'done' && <span>{plural(rows, 'row')}</span>}
        <span>{durationText(durationMs)}</span>
        <span title={timeText(startedAt)}>{agoText(startedAt, Date.now())}</span>
      </span>
      {error !== null && <span class="query-entry-error clip">{error.detail}</span>}
    </button>
  );
}
