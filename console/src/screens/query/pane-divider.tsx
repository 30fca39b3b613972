import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const key = 'framehold:query-editor-share';
const [shareMin, shareMax, step] = [0.12, 0.85, 0.04];

/** Two panes, one above the other, and a bar between them that can be dragged or moved with the arrow keys. */
export function PaneDivider({
  top,
  bottom,
}: {
  readonly top: ComponentChildren;
  readonly bottom: ComponentChildren;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(() => limited(Number(localStorage.getItem(key) ?? 0.38)));
  const change = (wanted: number) => {
    const next = limited(wanted);
    setShare(next);
    localStorage.setItem(key, next.toFixed(3));
  };
  useLayoutEffect(() => {
    element.current?.style.setProperty('--share', `${(share * 100).toFixed(1)}%`);
  }, [share]);
  const drag = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    const area = element.current?.getBoundingClientRect();
    if (area === undefined) return;
    bar.setPointerCapture(event.pointerId);
    bar.onpointermove = (moved) => change((moved.clientY - area.top) / area.height);
    bar.onpointerup = () => {
      bar.onpointermove = null;
      bar.onpointerup = null;
    };
  };
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? step : event.key === 'ArrowUp' ? -step : 0;
    if (by === 0) return;
    event.preventDefault();
    change(share + by);
  };
  return (
    <div ref={element} class="panes">
      <div class="panes-top">{top}</div>
      <div
        class="panes-bar"
        role="separator"
        aria-orientation="horizontal"
        aria-label="Height of the editor"
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={Math.round(shareMin * 100)}
        aria-valuemax={Math.round(shareMax * 100)}
        tabIndex={0}
        onPointerDown={drag}
        onKeyDown={move}
      />
      <div class="panes-bottom">{bottom}</div>
    </div>
  );
}

function limited(share: number): number {
  return Number.isFinite(share) ? Math.min(shareMax, Math.max(shareMin, share)) : 0.38;
}
