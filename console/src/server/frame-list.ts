import type { FrameholdEvent, ManifestSummary } from '@framehold/client';
import { effect, signal } from '@preact/signals';
import { isAbort } from '../ui/error-note.tsx';
import { api } from './api.ts';
import { connection, onLive } from './live.ts';
import { signInReason, token } from './session.ts';

/**
 * The tenant's frames, loaded page by page in the background and kept current by events: the frames screen, the palette and the
 * editor's completion all read this one list.
 */
export const frames = signal<ReadonlyMap<string, ManifestSummary>>(new Map());
export const sharedFrames = signal<readonly ManifestSummary[]>([]);
export type ListState = 'loading' | 'complete' | 'cut' | 'failed';
export const listState = signal<ListState>('loading');
export const listError = signal<unknown>(null);
/** Names that changed while the page was open, with the time: their rows flash. */
export const changedAt = new Map<string, number>();

/** About 50 MB of manifests. A list of more names is not read by people; they search. */
const namesMax = 100_000;
const pageMax = 1_000;
/** Events come in bursts: what changed within this time is asked for together. */
const gatherMs = 200;
const changesMax = 1_000;
/** For more changed names than this, one page of the list is cheaper than a request for each. */
const singlesMax = 20;

let loading: AbortController | null = null;
let changed = new Set<string>();
let isGathering = false;
let started = false;

/** Begins to load and to listen. Repeating it is safe. */
export function useFrameList(): void {
  if (started) return;
  started = true;
  onLive(take);
  let wasLive = false;
  effect(() => {
    // After an interruption, events may be missing if the server was restarted with other data.
    if (connection.value === 'live' && !wasLive && listState.peek() === 'failed') void loadFrames();
    wasLive = connection.value === 'live';
  });
  let loadedFor: string | null = null;
  effect(() => {
    // Another token may be another tenant's.
    if (token.value !== loadedFor) {
      frames.value = new Map();
      sharedFrames.value = [];
      loadedFor = token.value;
    }
    if (signInReason.value === null) void loadFrames();
  });
}

export async function loadFrames(): Promise<void> {
  loading?.abort();
  const controller = new AbortController();
  loading = controller;
  const { signal } = controller;
  listState.value = 'loading';
  listError.value = null;
  const found = new Map<string, ManifestSummary>();
  try {
    let cursor: string | null = null;
    do {
      const page = await api.frames.list({
        limit: pageMax,
        signal,
        ...(cursor === null ? {} : { cursor }),
      });
      for (const frame of page.frames) found.set(frame.name, frame);
      cursor = page.next;
      // The first page is shown at once; a reload replaces the list only when it is complete, so that rows do not vanish meanwhile.
      if (frames.peek().size < found.size) frames.value = new Map(found);
    } while (cursor !== null && found.size < namesMax);
    frames.value = found;
    listState.value = cursor === null ? 'complete' : 'cut';
    sharedFrames.value = (await api.frames.shared({ limit: pageMax, signal })).frames;
  } catch (error) {
    if (isAbort(error) || signal.aborted) return;
    listError.value = error;
    listState.value = 'failed';
  }
}

/** Removes a name at once; the event that follows confirms it. */
export function forget(name: string): void {
  const next = new Map(frames.peek());
  next.delete(name);
  frames.value = next;
}

export function remember(frame: ManifestSummary): void {
  noteChange(frame.name);
  frames.value = new Map(frames.peek()).set(frame.name, frame);
}

function noteChange(name: string): void {
  // A flash lasts two seconds: of more than these, nobody sees each.
  if (changedAt.size >= changesMax) changedAt.clear();
  changedAt.set(name, Date.now());
}

function take(event: FrameholdEvent): void {
  if (event.kind === 'reset') {
    void loadFrames();
    return;
  }
  if (!('name' in event) || event.kind === 'frame.settled') return;
  const { name } = event;
  changed.add(name);
  if (event.kind === 'frame.dropped' || event.kind === 'frame.expired') forget(name);
  if (isGathering) return;
  isGathering = true;
  setTimeout(() => void refreshChanged(), gatherMs);
}

async function refreshChanged(): Promise<void> {
  isGathering = false;
  const names = [...changed];
  changed = new Set();
  if (names.length > singlesMax) {
    for (const name of names) noteChange(name);
    await loadFrames();
    return;
  }
  const answers = await Promise.all(names.map((name) => currentOf(name)));
  const next = new Map(frames.peek());
  for (const [index, answer] of answers.entries()) {
    const name = names[index];
    if (name === undefined || answer === undefined) continue;
    if (answer === null) next.delete(name);
    else {
      noteChange(name);
      next.set(name, answer);
    }
  }
  frames.value = next;
}

/** The newest version; null if the name is gone, undefined if the server cannot say. */
async function currentOf(name: string): Promise<ManifestSummary | null | undefined> {
  try {
    return await api.frames.get(name);
  } catch (error) {
    const { status } = error as { readonly status?: number };
    return status === 404 || status === 410 ? null : undefined;
  }
}
