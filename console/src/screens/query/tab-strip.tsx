import { IconButton } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { closeTab, openTab, type QueryTab, selectedTab, selectTab, tabs, titleOf } from './query-tabs.ts';

export function TabStrip() {
  const shown = tabs.value;
  const selected = selectedTab.value?.id;
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const at = shown.findIndex((tab) => tab.id === selected);
    const next = shown[(at + by + shown.length) % shown.length];
    if (event.key === 'Delete' && selected !== undefined) close(selected);
    else if (by !== 0 && next !== undefined) {
      event.preventDefault();
      selectTab(next.id);
      document.getElementById(`query-tab-${next.id}`)?.focus();
    }
  };
  return (
    <div class="query-tabs">
      <div class="query-tab-list" role="tablist" aria-label="Queries" onKeyDown={move}>
        {shown.map((tab) => (
          <Tab key={tab.id} tab={tab} isSelected={tab.id === selected} />
        ))}
      </div>
      <IconButton
        icon="add"
        label="New query"
        onClick={() => {
          if (openTab('') === null)
            toast({ text: 'There are 50 queries open.', detail: 'Close one to open another.' });
        }}
      />
    </div>
  );
}

function Tab({ tab, isSelected }: { readonly tab: QueryTab; readonly isSelected: boolean }) {
  const title = titleOf(tab);
  const state = tab.run.value?.state.value;
  return (
    <div class={`query-tab ${isSelected ? 'query-tab-selected' : ''}`} role="presentation">
      <button
        type="button"
        role="tab"
        id={`query-tab-${tab.id}`}
        class="query-tab-name clip"
        title={title}
        aria-selected={isSelected}
        tabIndex={isSelected ? 0 : -1}
        onClick={() => selectTab(tab.id)}
        onAuxClick={(event) => {
          if (event.button === 1) close(tab.id);
        }}
      >
        {state === 'running' && <span class="query-tab-running" role="img" aria-label="Running" />}
        {title}
      </button>
      {/* Not a tab stop of its own within the list of tabs: Delete does the same. */}
      <IconButton
        icon="close"
        label={`Close ${title.slice(0, 40)} (Delete)`}
        tabIndex={-1}
        aria-hidden="true"
        onClick={() => close(tab.id)}
      />
    </div>
  );
}

function close(id: string): void {
  const text =
    tabs
      .peek()
      .find((tab) => tab.id === id)
      ?.text.peek() ?? '';
  const { undo } = closeTab(id);
  if (text.trim() !== '') toast({ text: 'Query closed.', action: { label: 'Undo', run: undo } });
}
