import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const key = 'framehold:theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(themes.find((each) => each === localStorage.getItem(key)) ?? 'system');

theme.subscribe((chosen) => {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(key, chosen);
  theme.value = chosen;
}

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(darkQuery.matches);
darkQuery.addEventListener('change', () => {
  systemDark.value = darkQuery.matches;
});

/** Whether the page is dark now: what is drawn on a canvas needs to know. */
export function isDark(): boolean {
  return theme.value === 'system' ? systemDark.value : theme.value === 'dark';
}
