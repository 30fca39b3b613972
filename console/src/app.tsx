import { useEffect, useState } from 'preact/hooks';
import { refreshStatus, status } from './api.ts';
import { sharedLink } from './base.ts';
import { DropTarget } from './drop-target.tsx';
import { useKeys } from './keys.ts';
import { KeysSheet } from './keys-sheet.tsx';
import { connection, followEvents } from './live.ts';
import { Mark } from './mark.tsx';
import { OpenBanner } from './open-banner.tsx';
import { Palette } from './palette.tsx';
import { href, navigate, route } from './router.ts';
import { ScreenView } from './screen-view.tsx';
import { SharePage } from './screens/share/share-page.tsx';
import { SignInScreen } from './screens/sign-in/sign-in-screen.tsx';
import { signInReason, signOut, token } from './session.ts';
import { chooseTheme, theme } from './theme.ts';
import { IconButton } from './ui/button.tsx';
import { Icon, type IconName } from './ui/icon.tsx';
import { MenuButton } from './ui/menu.tsx';
import { Toasts } from './ui/toast.tsx';

export function App() {
  return (
    <>
      {sharedLink === null ? <Console /> : <SharePage link={sharedLink} />}
      <Toasts />
    </>
  );
}

const places: readonly { readonly screen: string; readonly label: string; readonly icon: IconName }[] = [
  { screen: 'frames', label: 'Frames', icon: 'frames' },
  { screen: 'query', label: 'Query', icon: 'query' },
  { screen: 'status', label: 'Status', icon: 'status' },
];

function Console() {
  const [sheet, setSheet] = useState<'keys' | 'palette' | null>(null);
  useKeys('Everywhere', [
    { keys: 'Ctrl+K', label: 'Jump to a frame, query or screen', run: () => setSheet('palette') },
    { keys: '?', label: 'Show the keys', run: () => setSheet('keys') },
    { keys: 'u', label: 'Upload', run: () => navigate(href('upload')) },
  ]);
  const isSignedIn = signInReason.value === null;
  useEffect(() => {
    if (!isSignedIn) return;
    // An error here is one that every screen meets and shows.
    refreshStatus().catch(() => undefined);
    return followEvents(token.value);
  }, [isSignedIn, token.value]);
  if (signInReason.value !== null) return <SignInScreen reason={signInReason.value} />;
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header openPalette={() => setSheet('palette')} openKeys={() => setSheet('keys')} />
      <OpenBanner />
      <main id="main" class="main" tabIndex={-1}>
        <ScreenView route={route.value} />
      </main>
      <DropTarget />
      {sheet === 'keys' && <KeysSheet onClose={() => setSheet(null)} />}
      {sheet === 'palette' && <Palette onClose={() => setSheet(null)} />}
    </div>
  );
}

function Header({
  openPalette,
  openKeys,
}: {
  readonly openPalette: () => void;
  readonly openKeys: () => void;
}) {
  const shown =
    route.value.screen === 'frame' || route.value.screen === 'upload' ? 'frames' : route.value.screen;
  return (
    <header class="header">
      <a class="brand" href={href('frames')} aria-label="Framehold, all frames">
        <Mark />
        <span class="brand-name">Framehold</span>
      </a>
      <nav class="places" aria-label="Screens">
        {places.map(({ screen, label, icon }) => (
          <a
            key={screen}
            class="place"
            href={href(screen)}
            aria-current={shown === screen ? 'page' : undefined}
          >
            <Icon name={icon} />
            {label}
          </a>
        ))}
      </nav>
      <button type="button" class="jump" onClick={openPalette}>
        <Icon name="search" size={14} />
        <span class="jump-text">Jump to…</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div class="header-tools">
        <ConnectionDot />
        <MenuButton
          label="Theme"
          icon={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'monitor'}
          items={[
            {
              label: 'As the system',
              icon: 'monitor',
              checked: theme.value === 'system',
              run: () => chooseTheme('system'),
            },
            {
              label: 'Light',
              icon: 'sun',
              checked: theme.value === 'light',
              run: () => chooseTheme('light'),
            },
            { label: 'Dark', icon: 'moon', checked: theme.value === 'dark', run: () => chooseTheme('dark') },
          ]}
        />
        <IconButton icon="keyboard" label="Keys (?)" class="wide-only" onClick={openKeys} />
        {token.value !== null && (
          <IconButton icon="sign_out" label={`Sign out${callerText()}`} onClick={signOut} />
        )}
      </div>
    </header>
  );
}

function callerText(): string {
  const caller = status.value?.caller;
  return caller === undefined ? '' : ` ${caller.name} (${caller.tenant})`;
}

const connectionTexts = {
  live: 'Live: changes appear as they happen',
  connecting: 'Connecting to the server',
  offline: 'No connection to the server',
} as const;

function ConnectionDot() {
  return (
    <span
      class={`dot dot-${connection.value}`}
      role="img"
      title={connectionTexts[connection.value]}
      aria-label={connectionTexts[connection.value]}
    />
  );
}
