import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { offerFiles, offerText } from './upload-sources.ts';

/** Files may be dropped anywhere, and rows or a file may be pasted anywhere but in a field. */
export function DropTarget() {
  const [isOver, setOver] = useState(false);
  // With the first content: whoever sees the page can drop something on it.
  useLayoutEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    // `dragleave` comes for every element on the way: the page is left when as many were left as were entered.
    let depth = 0;
    const listen = (kind: 'dragenter' | 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(
        kind,
        (event) => {
          if (event.dataTransfer?.types.includes('Files') !== true) return;
          event.preventDefault();
          act(event);
        },
        { signal },
      );
    listen('dragenter', () => {
      depth += 1;
      setOver(true);
    });
    listen('dragover', () => undefined);
    listen('dragleave', () => {
      depth -= 1;
      if (depth <= 0) setOver(false);
    });
    listen('drop', (event) => {
      depth = 0;
      setOver(false);
      offerFiles(event.dataTransfer?.files ?? []);
    });
    addEventListener('paste', paste, { signal });
    return () => stop.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div class="drop-target">
      <div class="drop-target-card">
        <Icon name="upload" size={32} />
        <strong>Drop to upload</strong>
        <span class="muted">CSV, JSON, NDJSON, Parquet or Arrow</span>
      </div>
    </div>
  );
}

function paste(event: ClipboardEvent): void {
  const target = event.composedPath()[0];
  const isField =
    target instanceof HTMLElement &&
    (target.isContentEditable || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement);
  if (isField || event.clipboardData === null) return;
  const { files } = event.clipboardData;
  const text = event.clipboardData.getData('text/plain');
  if (files.length > 0) offerFiles(files);
  // One line is a word or an address, not a table.
  else if (text.trimEnd().includes('\n') || /^\s*[[{]/.test(text)) offerText(text);
  else return;
  event.preventDefault();
}
