import type { ComponentChildren, Ref } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps {
  readonly count: number;
  readonly rowPx: number;
  readonly label: string;
  readonly columnCount: number;
  readonly header: ComponentChildren;
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  /** Set to a function that brings a row into view. */
  readonly reveal?: Ref<(index: number) => void>;
}

/** Rows beyond the edges, so that a fast wheel shows no gap. */
const overscan = 12;

/** A table of rows of one height, of which only those in view exist. The header stays at the top. */
export function VirtualList({
  count,
  rowPx,
  label,
  columnCount,
  header,
  row,
  class: extra,
  reveal,
}: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ first: 0, last: 60 });
  const measure = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowPx) - overscan);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowPx) + overscan;
    setView((before) => (before.first === first && before.last === last ? before : { first, last }));
  }, [rowPx]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [measure, count]);
  const bringIntoView = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (element === null) return;
      const headerPx = element.querySelector<HTMLElement>('.vlist-head')?.offsetHeight ?? 0;
      const top = index * rowPx;
      const roomPx = element.clientHeight - headerPx;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + rowPx > element.scrollTop + roomPx) element.scrollTop = top + rowPx - roomPx;
      measure();
    },
    [rowPx, measure],
  );
  useLayoutEffect(() => {
    if (typeof reveal === 'function') reveal(bringIntoView);
    else if (reveal != null) reveal.current = bringIntoView;
  }, [reveal, bringIntoView]);
  const last = Math.min(count, view.last);
  const first = Math.min(view.first, last);
  return (
    <div ref={scroller} class={`vlist ${extra ?? ''}`} onScroll={measure}>
      <div
        class="vlist-table"
        role="table"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={columnCount}
      >
        <div class="vlist-head" role="rowgroup">
          {header}
        </div>
        <div class="vlist-body" role="rowgroup" style={{ height: `${count * rowPx}px` }}>
          <div
            class="vlist-window"
            role="presentation"
            style={{ transform: `translateY(${first * rowPx}px)` }}
          >
            {Array.from({ length: last - first }, (_, offset) => row(first + offset))}
          </div>
        </div>
      </div>
    </div>
  );
}
