import type { SavedQuery } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote, errorText } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { agoText, timeText } from '../../ui/format.ts';
import { MenuButton } from '../../ui/menu.tsx';
import { Loading } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.tsx';
import { openTab, tabs } from './query-tabs.ts';
import { readSavedQueries, renameSavedQuery, savedQueries } from './saved-queries.ts';
import { SidePanelFrame } from './side-panel.tsx';

/** The queries that the tenant has saved. A click opens one in a tab and does not run it. */
export function SavedPanel({ onClose }: { readonly onClose: () => void }) {
  const search = useSignal('');
  const failure = useSignal<unknown>(null);
  const renamed = useSignal<SavedQuery | null>(null);
  const load = async () => {
    try {
      await readSavedQueries();
      failure.value = null;
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => {
    void load();
  }, []);
  const wanted = search.value.toLowerCase();
  const shown = savedQueries.value?.filter(
    ({ name, sql }) => name.toLowerCase().includes(wanted) || sql.toLowerCase().includes(wanted),
  );
  return (
    <SidePanelFrame title="Saved queries" onClose={onClose}>
      <div class="query-side-search">
        <TextField
          label={<span class="unseen">Search the saved queries</span>}
          placeholder="Search"
          value={search.value}
          onText={(text) => (search.value = text)}
        />
      </div>
      <div class="query-side-list">
        {failure.value !== null && <ErrorNote error={failure.value} retry={load} />}
        {shown === undefined && failure.value === null && <Loading label="Reading saved queries" />}
        {shown?.length === 0 && (
          <EmptyState icon="bookmark" title={wanted === '' ? 'Nothing saved yet' : 'Nothing found'}>
            <p class="muted">Save a query to find it again, and to share it with your tenant.</p>
          </EmptyState>
        )}
        <ul>
          {shown?.map((query) => (
            <li key={query.name} class="query-saved">
              <button
                type="button"
                class="query-entry"
                title={query.sql.slice(0, 2_000)}
                onClick={() => openTab(query.sql, { savedAs: query.name })}
              >
                <span class="query-entry-name">{query.name}</span>
                <code class="query-entry-sql">{query.sql.slice(0, 300)}</code>
                <span class="query-entry-facts">
                  <span>{query.savedBy}</span>
                  <span title={timeText(query.savedAt)}>{agoText(query.savedAt, Date.now())}</span>
                </span>
              </button>
              <MenuButton
                icon="more"
                label={`More for ${query.name}`}
                align="end"
                items={[
                  { label: 'Rename…', icon: 'edit', run: () => (renamed.value = query) },
                  { label: 'Remove', icon: 'drop', kind: 'danger', run: () => remove(query) },
                ]}
              />
            </li>
          ))}
        </ul>
      </div>
      {renamed.value !== null && (
        <RenameDialog query={renamed.value} onClose={() => (renamed.value = null)} />
      )}
    </SidePanelFrame>
  );
}

async function remove({ name, sql }: SavedQuery): Promise<void> {
  const undo = async () => {
    await api.saved.save(name, sql);
    await readSavedQueries();
  };
  try {
    await api.saved.remove(name);
    await readSavedQueries();
    toast({
      text: `“${name}” removed.`,
      action: { label: 'Undo', run: () => void undo().catch(showFailure) },
    });
  } catch (error) {
    showFailure(error);
  }
}

function showFailure(error: unknown): void {
  const { text, hint } = errorText(error);
  toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
}

function RenameDialog({ query, onClose }: { readonly query: SavedQuery; readonly onClose: () => void }) {
  const name = useSignal(query.name);
  const failure = useSignal<unknown>(null);
  const isTaken =
    name.value !== query.name && savedQueries.value?.some((each) => each.name === name.value) === true;
  const rename = async () => {
    if (name.peek() === query.name) return onClose();
    if (isTaken || name.peek().trim() === '') return;
    try {
      await renameSavedQuery(query, name.peek());
      for (const tab of tabs.peek()) if (tab.savedAs.peek() === query.name) tab.savedAs.value = name.peek();
      onClose();
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <Dialog
      title="Rename the query"
      size="small"
      onClose={onClose}
      onSubmit={rename}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isTaken || name.value.trim() === ''}>
            Rename
          </Button>
        </>
      }
    >
      {failure.value !== null && <ErrorNote error={failure.value} />}
      <TextField
        label="Name"
        value={name.value}
        autofocus
        onText={(text) => (name.value = text)}
        {...(isTaken ? { error: 'Another query has this name.' } : {})}
      />
    </Dialog>
  );
}
