import type { ManifestSummary } from '@framehold/client';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { quotedName } from '../../sql/sql-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { plural } from '../../ui/format.ts';
import { selectedTab } from './query-tabs.ts';

/** As many as fit two lines. */
const framesShown = 8;

/** Shown before the first statement of a tab: frames to begin with. */
export function FirstSteps() {
  const [frames, setFrames] = useState<readonly ManifestSummary[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    api.frames.list({ limit: framesShown, signal: abort.signal }).then(
      (page) => setFrames(page.frames),
      // Without it there is nothing to offer.
      () => undefined,
    );
    return () => abort.abort();
  }, []);
  const use = (name: string) => {
    const tab = selectedTab.peek();
    if (tab === null) return;
    const before = tab.text.peek().trimEnd();
    const gap = before === '' ? '' : `${before}${before.endsWith(';') ? '' : ';'}\n\n`;
    tab.text.value = `${gap}select * from ${quotedName(name)} limit 100`;
  };
  return (
    <EmptyState icon="query" title="Every frame is a table">
      <p class="muted">
        Write SQL and press <kbd>Ctrl</kbd> <kbd>Enter</kbd>. The statement under the cursor runs.
      </p>
      {frames.length > 0 && (
        <ul class="query-frames">
          {frames.map(({ name, rows }) => (
            <li key={name}>
              <button type="button" class="query-frame" title={name} onClick={() => use(name)}>
                <span class="clip">{name}</span>
                <span class="muted numeric">{plural(rows, 'row')}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </EmptyState>
  );
}
