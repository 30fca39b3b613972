import { useEffect, useState } from 'preact/hooks';
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx';
import { refreshStatus, status } from '../server/api.ts';
import { sharedLink } from '../server/base.ts';
import { connection, followEvents } from '../server/live.ts';
import { signInReason, signOut, token } from '../server/session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Toasts } from '../ui/toast.tsx';
import { DropTarget } from '../upload/drop-target.tsx';
import { useKeys } from './keys.ts';
import { KeysSheet } from './keys-sheet.tsx';
import { lazy } from './lazy.tsx';
import { Mark } from './mark.tsx';
import { OpenBanner } from './open-banner.tsx';
import { Palette } from './palette.tsx';
import { href, navigate, route } from './router.ts';
import { ScreenView } from './screen-view.tsx';
import { ThemeMenu } from './theme-menu.tsx';

export function App() {
  return (
    <>
      {sharedLink === null ? <Console /> : <LazyShare link={sharedLink} />}
      <Toasts />
    </>
  );
}

const LazyShare = lazy(async () => (await import('../screens/share/share-page.tsx')).SharePage);

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
  // Unknown until the server has answered; an operator sees the server, but no frames.
  const canRead = status.value?.caller.scopes.includes('read') ?? true;
  useEffect(() => {
    // An error here is one that every screen meets and shows.
    if (isSignedIn) refreshStatus().catch(() => undefined);
  }, [isSignedIn, token.value]);
  useEffect(() => {
    if (isSignedIn && canRead) return followEvents(token.value);
  }, [isSignedIn, canRead, token.value]);
  useEffect(() => {
    if (!canRead && route.value.screen === 'frames') navigate(href('status'));
  }, [canRead, route.value.screen]);
  if (signInReason.value !== null) return <SignInScreen reason={signInReason.value} />;
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header canRead={canRead} openPalette={() => setSheet('palette')} openKeys={() => setSheet('keys')} />
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
  canRead,
  openPalette,
  openKeys,
}: {
  readonly canRead: boolean;
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
        {places
          .filter(({ screen }) => canRead || screen === 'status')
          .map(({ screen, label, icon }) => (
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
        {canRead && <ConnectionDot />}
        <ThemeMenu />
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
  return caller === undefined ? '' : ` ${caller.name} (${caller.tenant ?? 'operator'})`;
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
