import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

export interface TabLink {
  readonly id: string;
  readonly label: string;
  readonly href: string;
  readonly count?: string;
}

/** Tabs that are addresses: real links, so that they can be opened in another browser tab. */
export function TabLinks({
  label,
  tabs,
  selected,
}: {
  readonly label: string;
  readonly tabs: readonly TabLink[];
  readonly selected: string;
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.id} class="tab" href={tab.href} aria-current={tab.id === selected ? 'page' : undefined}>
          {tab.label}
          {tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
        </a>
      ))}
    </nav>
  );
}

export interface Tab {
  readonly id: string;
  readonly label: ComponentChildren;
}

/** Tabs within a screen. Arrows move between them. The panel has `role="tabpanel"` and `id={panelId}`. */
export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
  panelId,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly panelId: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === selected);
    const next = (at + by + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab === undefined) return;
    onSelect(tab.id);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          class="tab"
          aria-selected={tab.id === selected}
          aria-controls={panelId}
          tabIndex={tab.id === selected ? 0 : -1}
          onClick={() => onSelect(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
