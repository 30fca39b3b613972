import type { EngineName } from '@framehold/client';
import { computed, effect, type Signal, signal } from '@preact/signals';
import type { ChartChoice } from '../../chart/chart-choice.ts';
import { base } from '../../server/base.ts';
import { token } from '../../server/session.ts';
import { tokenAt } from '../../sql/tokens.ts';
import type { StatementRun } from './statement-run.ts';

export type ResultView = 'rows' | 'chart' | 'plan';

export interface QueryTab {
  readonly id: string;
  readonly text: Signal<string>;
  /** The saved query that it came from. */
  readonly savedAs: Signal<string | null>;
  /** What runs its statements; null: the server's default. */
  readonly engine: Signal<EngineName | null>;
  /** The text came with an address and has not been run: its reader should look at it first. */
  readonly isForeign: Signal<boolean>;
  readonly run: Signal<StatementRun | null>;
  readonly view: Signal<ResultView>;
  readonly chart: Signal<ChartChoice | null>;
}

/** More do not fit a strip that people look through. */
const tabsMax = 50;
/** Of one tab. The server's own limit of a statement is 1 MiB. */
const textCharactersMax = 1_000_000;
/** Of all tabs. A browser keeps about 5 million characters for an origin, and the token must fit too. */
const keptCharactersMax = 4_000_000;
/** Rows of so many tabs are kept in memory; older ones can be run again. */
const resultsMax = 5;

/**
 * Kept in the browser tab's own storage, as the token is: they survive a reload, and nobody else who uses the browser finds them. What was
 * run is in the history on the server, and what is worth keeping can be saved there.
 */
const key = `framehold:query-tabs:${base.pathname}`;

interface KeptTab {
  readonly id: string;
  readonly text: string;
  readonly savedAs: string | null;
  readonly engine?: EngineName | null;
  readonly isForeign: boolean;
  readonly chart: ChartChoice | null;
}

const list = signal<readonly QueryTab[]>([]);
const selectedId = signal('');
export const tabs = computed(() => list.value);
export const selectedTab = computed(() => list.value.find((tab) => tab.id === selectedId.value) ?? null);

export function openTab(
  text: string,
  {
    savedAs = null,
    engine = null,
    isForeign = false,
  }: {
    readonly savedAs?: string | null;
    readonly engine?: EngineName | null;
    readonly isForeign?: boolean;
  } = {},
): QueryTab | null {
  const kept = text.slice(0, textCharactersMax);
  // An empty tab is there to be used.
  const current = selectedTab.peek();
  const isBlank = current !== null && current.text.peek().trim() === '' && current.run.peek() === null;
  if (isBlank && kept !== '') {
    current.text.value = kept;
    current.savedAs.value = savedAs;
    if (engine !== null) current.engine.value = engine;
    current.isForeign.value = isForeign;
    return current;
  }
  if (list.peek().length >= tabsMax) return null;
  const tab = newTab({ id: freeId(), text: kept, savedAs, engine, isForeign, chart: null });
  list.value = [...list.peek(), tab];
  selectedId.value = tab.id;
  return tab;
}

export function selectTab(id: string): void {
  selectedId.value = id;
}

/** Returns what closing it took away, to be undone. */
export function closeTab(id: string): { readonly undo: () => void } {
  const before = list.peek();
  const at = before.findIndex((tab) => tab.id === id);
  const closed = before[at];
  closed?.run.peek()?.cancel();
  const left = before.filter((tab) => tab.id !== id);
  list.value = left.length > 0 ? left : [newTab(blank())];
  if (selectedId.peek() === id) selectedId.value = (list.peek()[at] ?? list.peek().at(-1))?.id ?? '';
  return {
    undo: () => {
      if (closed === undefined || list.peek().length >= tabsMax) return;
      list.value = list.peek().toSpliced(at, 0, closed);
      selectedId.value = id;
    },
  };
}

/** Its saved name, or the first words of its text. */
export function titleOf(tab: QueryTab): string {
  const saved = tab.savedAs.value;
  if (saved !== null) return saved;
  const text = tab.text.value;
  let at = 0;
  while (at < text.length) {
    const { kind, to } = tokenAt(text, at);
    if (kind !== 'space' && kind !== 'comment') break;
    at = to;
  }
  const words = text
    .slice(at, at + 200)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words === '' ? 'New query' : words;
}

/** Keeps the rows of the newest runs only. */
export function forgetOldResults(): void {
  const runs = list
    .peek()
    .flatMap((tab) => tab.run.peek() ?? [])
    .filter((run) => run.hasRows)
    .toSorted((a, b) => b.startedAt - a.startedAt);
  for (const run of runs.slice(resultsMax)) run.forgetRows();
}

function newTab({ id, text, savedAs, engine, isForeign, chart }: KeptTab): QueryTab {
  return {
    id,
    text: signal(text),
    savedAs: signal(savedAs),
    engine: signal(engine ?? null),
    isForeign: signal(isForeign),
    run: signal(null),
    view: signal('rows'),
    chart: signal(chart),
  };
}

function blank(): KeptTab {
  return { id: freeId(), text: '', savedAs: null, isForeign: false, chart: null };
}

function freeId(): string {
  const used = new Set(list.peek().map((tab) => tab.id));
  let number = 1;
  while (used.has(`${number}`)) number += 1;
  return `${number}`;
}

function readKept(): void {
  let kept: { readonly selected?: string; readonly tabs?: readonly KeptTab[] } = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as typeof kept;
  } catch {
    // Written by something else: begin anew.
  }
  const read = (kept.tabs ?? []).slice(0, tabsMax).map(newTab);
  list.value = read.length > 0 ? read : [newTab(blank())];
  selectedId.value = read.some((tab) => tab.id === kept.selected)
    ? (kept.selected as string)
    : (list.peek()[0]?.id ?? '');
}

/** Whether all tabs fitted into the storage; the screen says so if not. */
export const areKept = signal(true);

function keep(): void {
  let room = keptCharactersMax;
  let fits = true;
  const kept: KeptTab[] = [];
  for (const tab of list.value) {
    const text = tab.text.value;
    room -= text.length;
    if (room < 0 || text.length > textCharactersMax) fits = false;
    else
      kept.push({
        id: tab.id,
        text,
        savedAs: tab.savedAs.value,
        engine: tab.engine.value,
        isForeign: tab.isForeign.value,
        chart: tab.chart.value,
      });
  }
  const text = JSON.stringify({ selected: selectedId.value, tabs: kept });
  clearTimeout(timer);
  timer = setTimeout(() => write(text), 200);
  lastText = text;
  areKept.value = fits;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let lastText: string | null = null;

function write(text: string): void {
  lastText = null;
  try {
    sessionStorage.setItem(key, text);
  } catch {
    areKept.value = false;
  }
}

readKept();
effect(keep);
addEventListener('pagehide', () => {
  if (lastText !== null) write(lastText);
});

// Another caller must not find them.
let lastToken = token.peek();
effect(() => {
  const now = token.value;
  if (lastToken !== null && now !== lastToken) {
    for (const tab of list.peek()) tab.run.peek()?.cancel();
    list.value = [newTab(blank())];
    selectedId.value = list.peek()[0]?.id ?? '';
  }
  lastToken = now;
});
