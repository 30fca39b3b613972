import type { ComponentChildren } from 'preact';
import { IconButton } from '../../ui/button.tsx';

/** Beside the editor and the rows; on a phone, over them. */
export function SidePanelFrame({
  title,
  onClose,
  tools,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <aside class="query-side" aria-label={title}>
      <header class="query-side-header">
        <h2>{title}</h2>
        {tools}
        <IconButton icon="close" label={`Close ${title.toLowerCase()}`} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
