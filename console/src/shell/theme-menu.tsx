import type { IconName } from '../ui/icon.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { chooseTheme, type Theme, theme } from './theme.ts';

const themes: readonly { readonly theme: Theme; readonly label: string; readonly icon: IconName }[] = [
  { theme: 'system', label: 'As the system', icon: 'monitor' },
  { theme: 'light', label: 'Light', icon: 'sun' },
  { theme: 'dark', label: 'Dark', icon: 'moon' },
];

export function ThemeMenu() {
  return (
    <MenuButton
      label="Theme"
      icon={themes.find((each) => each.theme === theme.value)?.icon ?? 'monitor'}
      items={themes.map((each) => ({
        label: each.label,
        icon: each.icon,
        checked: each.theme === theme.value,
        run: () => chooseTheme(each.theme),
      }))}
    />
  );
}
