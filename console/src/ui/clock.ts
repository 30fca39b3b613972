import { signal } from '@preact/signals';

/** The time, for ages and expiries on the page. Minutes matter to them, so a coarse tick does. */
export const now = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now();
}, 10_000);
