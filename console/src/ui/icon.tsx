const paths = {
  add: 'M8 3v10M3 8h10',
  arrow_right: 'M3 8h10M9 4l4 4-4 4',
  bookmark: 'M4.5 2.5h7v11L8 10.8l-3.5 2.7z',
  chart: 'M2.5 2.5v11h11M5 10.5l2.7-3.6 2.2 2L13.5 4',
  check: 'M3 8.5l3.2 3.2L13 5',
  chevron_down: 'M4 6l4 4 4-4',
  chevron_right: 'M6 4l4 4-4 4',
  clock: 'M8 4.5V8l2.5 1.5M14 8A6 6 0 112 8a6 6 0 0112 0z',
  close: 'M4 4l8 8M12 4l-8 8',
  columns: 'M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9',
  copy: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
  drop: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9M6.7 7v4M9.3 7v4',
  edit: 'M3 13l.7-2.8L10.8 3l2.2 2.2-7.2 7.1z',
  filter: 'M2.5 3.5h11L9.5 8.3v4.2l-3 1V8.3z',
  frames: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6 6.5v6',
  history: 'M2.5 8a5.5 5.5 0 105.5-5.5A5.6 5.6 0 003.6 4.8M3.2 2.3v2.9h2.9M8 5v3.2l2 1.3',
  info: 'M8 7.3V11M8 5v.4M14 8A6 6 0 112 8a6 6 0 0112 0z',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.6 6.5h.1M9.2 6.5h.1M11.8 6.5h.1M4.5 9.5h7',
  link: 'M6.8 9.2a2.8 2.8 0 004 0l2.3-2.3a2.8 2.8 0 00-4-4L8 4M9.2 6.8a2.8 2.8 0 00-4 0L2.9 9.1a2.8 2.8 0 004 4L8 12',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  monitor: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  moon: 'M13 9.6A5.5 5.5 0 016.4 3a5.5 5.5 0 106.6 6.6z',
  more: 'M3.2 8h.6M7.7 8h.6M12.2 8h.6',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5',
  play: 'M5 3.2v9.6L12.6 8z',
  query: 'M2.5 4l3.5 4-3.5 4M8 12h5.5',
  refresh: 'M13.2 6.5A5.5 5.5 0 003 6M2.8 9.5A5.5 5.5 0 0013 10M13.5 3v3.5H10M2.5 13V9.5H6',
  save: 'M3 3h8l2 2v8H3zM5.5 3v3.5h4V3M5 13V9.5h6V13',
  search: 'M10.6 10.6L14 14M11.8 7a4.8 4.8 0 11-9.6 0 4.8 4.8 0 019.6 0z',
  share:
    'M5.7 7l4.6-2.4M5.7 9l4.6 2.4M5.9 8a1.9 1.9 0 11-3.8 0 1.9 1.9 0 013.8 0zM13.9 3.7a1.9 1.9 0 11-3.8 0 1.9 1.9 0 013.8 0zM13.9 12.3a1.9 1.9 0 11-3.8 0 1.9 1.9 0 013.8 0z',
  sign_out: 'M9.5 3H3v10h6.5M6.5 8h7.5M11 5l3 3-3 3',
  sort_down: 'M8 3v10M4.5 9.5L8 13l3.5-3.5',
  sort_up: 'M8 13V3M4.5 6.5L8 3l3.5 3.5',
  status: 'M2 8.5h3l1.8-5 2.6 9 1.8-4H14',
  stop: 'M4.5 4.5h7v7h-7z',
  sun: 'M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1M10.8 8a2.8 2.8 0 11-5.6 0 2.8 2.8 0 015.6 0z',
  undo: 'M3 6.5h6.5a3.5 3.5 0 010 7H6M5.8 3.5L3 6.5l2.8 3',
  upload: 'M8 11V2.8M4.5 6L8 2.5 11.5 6M3 13.5h10',
  warning: 'M8 2.5l6 11H2zM8 6.7v3M8 11.6v.2',
} as const;

export type IconName = keyof typeof paths;

/** Beside a text that says the same: a screen reader skips it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
