import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { Popover } from './popover.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly hint?: string;
  readonly kind?: 'danger';
  /** For one of several choices. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  /** Begins a new group: a line is drawn above. */
  readonly separated?: boolean;
  readonly run: () => void;
}

interface MenuProps {
  readonly anchor: Element | DOMRect | null;
  readonly items: readonly MenuItem[];
  readonly label: string;
  readonly onClose: () => void;
  readonly align?: 'start' | 'end';
  /** Shown above the items. */
  readonly heading?: ComponentChildren;
}

/** A menu at an anchor. Arrows move, a letter jumps, Enter chooses, Escape closes and gives the focus back. */
function Menu({ anchor, items, label, onClose, align = 'start', heading }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const before = useRef(document.activeElement);
  // At once: the next key is for the menu.
  useLayoutEffect(() => {
    move(list.current, 0, 0);
    const returnTo = before.current;
    return () => {
      if (returnTo instanceof HTMLElement && returnTo.isConnected && focusIsLost()) returnTo.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const moved =
      event.key === 'ArrowDown'
        ? move(list.current, null, 1)
        : event.key === 'ArrowUp'
          ? move(list.current, null, -1)
          : event.key === 'Home'
            ? move(list.current, 0, 0)
            : event.key === 'End'
              ? move(list.current, -1, 0)
              : event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey
                ? jump(list.current, event.key)
                : false;
    if (event.key === 'Tab') onClose();
    if (moved) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <Popover anchor={anchor} onClose={onClose} align={align} class="menu" onKeyDown={onKeyDown}>
      {heading !== undefined && <div class="menu-heading">{heading}</div>}
      <div ref={list} role="menu" aria-label={label}>
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
            {...(item.checked === undefined ? {} : { 'aria-checked': item.checked })}
            tabIndex={-1}
            disabled={item.disabled ?? false}
            class={`menu-item ${item.kind ?? ''} ${item.separated ? 'separated' : ''}`}
            onClick={() => {
              onClose();
              item.run();
            }}
          >
            <span class="menu-icon">
              {item.checked === true ? (
                <Icon name="check" />
              ) : (
                item.icon !== undefined && <Icon name={item.icon} />
              )}
            </span>
            <span class="menu-label">{item.label}</span>
            {item.hint !== undefined && <span class="menu-hint">{item.hint}</span>}
          </button>
        ))}
      </div>
    </Popover>
  );
}

/** A button that opens a menu. With an icon and no children it is an icon button. */
export function MenuButton({
  label,
  icon,
  items,
  align = 'end',
  kind = 'plain',
  children,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[] | (() => readonly MenuItem[]);
  readonly align?: 'start' | 'end';
  readonly kind?: 'plain' | 'primary' | 'quiet';
  readonly children?: ComponentChildren;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const shared = {
    ref: button,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': open,
    onClick: () => setOpen(!open),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' || open) return;
      event.preventDefault();
      setOpen(true);
    },
  };
  return (
    <>
      {children === undefined && icon !== undefined ? (
        <IconButton icon={icon} label={label} {...shared} />
      ) : (
        <Button kind={kind} {...(icon === undefined ? {} : { icon })} {...shared}>
          {children ?? label}
          <Icon name="chevron_down" size={12} />
        </Button>
      )}
      {open && (
        <Menu
          anchor={button.current}
          items={typeof items === 'function' ? items() : items}
          label={label}
          align={align}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('.menu-item:not(:disabled)') ?? [])];
}

function move(list: HTMLElement | null, to: number | null, by: number): boolean {
  const items = itemsOf(list);
  const from = to ?? items.indexOf(document.activeElement as HTMLElement);
  items.at((from + by + items.length) % items.length)?.focus();
  return true;
}

function jump(list: HTMLElement | null, letter: string): boolean {
  const items = itemsOf(list);
  const from = items.indexOf(document.activeElement as HTMLElement) + 1;
  const found = [...items.slice(from), ...items.slice(0, from)].find((item) =>
    item.querySelector('.menu-label')?.textContent?.toLowerCase().startsWith(letter.toLowerCase()),
  );
  found?.focus();
  return found !== undefined;
}

function focusIsLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
