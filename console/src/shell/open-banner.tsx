import { signal } from '@preact/signals';
import { status } from '../server/api.ts';
import { IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';

const key = 'framehold:open-banner';
const dismissed = signal(sessionStorage.getItem(key) === 'dismissed');

/** On a server without credentials: it says so, with the one command that closes it. */
export function OpenBanner() {
  const shown = status.value;
  if (shown === null || !shown.open || dismissed.value) return null;
  return (
    <div class="banner" role="status">
      <Icon name="warning" />
      <span class="banner-text">
        This server is open: anyone who can connect has full access.{' '}
        {shown.closeCommand !== undefined && (
          <>
            To close it, run <code class="banner-command">{shown.closeCommand}</code>
          </>
        )}
      </span>
      {shown.closeCommand !== undefined && <CopyButton text={shown.closeCommand} label="Copy the command" />}
      <IconButton
        icon="close"
        label="Hide until this tab is closed"
        onClick={() => {
          sessionStorage.setItem(key, 'dismissed');
          dismissed.value = true;
        }}
      />
    </div>
  );
}
