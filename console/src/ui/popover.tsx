import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface PopoverProps {
  readonly anchor: Element | DOMRect | null;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly role?: 'dialog' | 'listbox' | 'menu' | 'tooltip';
  readonly label?: string;
  readonly align?: 'start' | 'end';
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A layer beside its anchor, over everything else. A click elsewhere or Escape closes it. */
export function Popover({
  anchor,
  onClose,
  children,
  class: extra,
  role,
  label,
  align = 'start',
  onKeyDown,
}: PopoverProps) {
  const element = useRef<HTMLDivElement>(null);
  const closed = useRef(onClose);
  closed.current = onClose;
  useLayoutEffect(() => {
    const layer = element.current;
    if (layer === null || anchor === null) return;
    layer.showPopover();
    place(layer, anchor instanceof Element ? anchor.getBoundingClientRect() : anchor, align);
  }, [anchor, align]);
  useEffect(() => {
    const layer = element.current;
    const toggled = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') closed.current();
    };
    layer?.addEventListener('toggle', toggled);
    return () => layer?.removeEventListener('toggle', toggled);
  }, []);
  return (
    <div
      ref={element}
      popover="auto"
      class={`popover ${extra ?? ''}`}
      {...(role === undefined ? {} : { role })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(onKeyDown === undefined ? {} : { onKeyDown })}
    >
      {children}
    </div>
  );
}

/** Below the anchor, or above it if there is more room; never outside the window. */
function place(layer: HTMLElement, anchor: DOMRect, align: 'start' | 'end'): void {
  const gap = 4;
  const { width, height } = layer.getBoundingClientRect();
  const left = align === 'start' ? anchor.left : anchor.right - width;
  const below = anchor.bottom + gap;
  const fitsBelow = below + height <= innerHeight - gap || anchor.top < innerHeight - anchor.bottom;
  const top = fitsBelow ? below : anchor.top - gap - height;
  layer.style.left = `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`;
  layer.style.top = `${Math.max(gap, Math.min(top, innerHeight - Math.min(height, innerHeight) - gap))}px`;
  layer.style.maxHeight = `${innerHeight - 2 * gap}px`;
}
