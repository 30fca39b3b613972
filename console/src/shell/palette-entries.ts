import type { ManifestSummary, SavedQuery } from '@framehold/client';
import type { IconName } from '../ui/icon.tsx';
import { href } from './route.ts';

export interface PaletteEntry {
  readonly kind: 'Recent' | 'Frame' | 'Saved query' | 'Screen' | 'Open by its handle';
  readonly label: string;
  readonly icon: IconName;
  readonly href: string;
  readonly rows?: number;
}

export interface Places {
  readonly recents: readonly string[];
  readonly frames: readonly ManifestSummary[];
  readonly saved: readonly SavedQuery[];
}

const screens: readonly PaletteEntry[] = [
  { kind: 'Screen', label: 'Frames', icon: 'frames', href: href('frames') },
  { kind: 'Screen', label: 'Query', icon: 'query', href: href('query') },
  { kind: 'Screen', label: 'Upload', icon: 'upload', href: href('upload') },
  { kind: 'Screen', label: 'Status', icon: 'status', href: href('status') },
];

/** Nobody reads further; they type another letter. */
const entriesMax = 50;

/** What fits the text, the best first. Without a text: what was opened last, the screens, then frames. */
export function paletteEntries(text: string, { recents, frames, saved }: Places): PaletteEntry[] {
  const search = text.trim().toLowerCase();
  const entries: PaletteEntry[] = [
    ...recents.map(
      (name): PaletteEntry => ({ kind: 'Recent', label: name, icon: 'clock', href: href('frames', name) }),
    ),
    ...screens,
    ...saved.map(
      ({ name, sql }): PaletteEntry => ({
        kind: 'Saved query',
        label: name,
        icon: 'query',
        href: href('query', null, null, { sql }),
      }),
    ),
  ];
  const recent = new Set(recents);
  for (const { name, rows } of frames)
    if (!recent.has(name))
      entries.push({ kind: 'Frame', label: name, icon: 'frames', href: href('frames', name), rows });
  if (search === '') return entries.slice(0, entriesMax);
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry.label.toLowerCase(), search) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.entry.label.length - b.entry.label.length)
    .slice(0, entriesMax)
    .map(({ entry }) => entry);
  const handle = text.trim();
  // A version, a frame that is shared, or a name beyond the end of a long list.
  const isListed = ranked.some((entry) => entry.label === handle);
  if (!isListed && /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,255}(@\d{1,15})?$/.test(handle))
    ranked.push({
      kind: 'Open by its handle',
      label: handle,
      icon: 'arrow_right',
      href: href('frames', handle),
    });
  return ranked;
}

/** 4: the same; 3: it begins so; 2: a word of it begins so; 1: the text, or all its words, are somewhere in it; 0: no. */
function rankOf(label: string, search: string): number {
  if (label === search) return 4;
  const at = label.indexOf(search);
  if (at === 0) return 3;
  if (at > 0) return ' _.-:'.includes(label[at - 1] ?? '') ? 2 : 1;
  return search.split(' ').every((word) => label.includes(word)) ? 1 : 0;
}
