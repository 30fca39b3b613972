import { api, status } from '../../server/api.ts';
import type { Route } from '../../shell/route.ts';
import { setParameters } from '../../shell/router.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { FrameState } from './frame-state.ts';
import { snippetsOf } from './snippets.ts';

/** Programs that read exactly this version, from this server. */
export function SnippetsTab({ frame, route }: { readonly frame: FrameState; readonly route: Route }) {
  const snippets = snippetsOf({
    base: api.url,
    handle: frame.manifest.handle,
    isOpen: status.value?.open ?? true,
    flight: status.value?.flight ?? null,
  });
  const shown = snippets.find(({ id }) => id === route.parameters.get('language')) ?? snippets[0];
  if (shown === undefined) return null;
  return (
    <div class="frame-page">
      <Tabs
        label="Language"
        tabs={snippets}
        selected={shown.id}
        onSelect={(language) => setParameters({ language })}
        panelId="snippet"
      />
      <div id="snippet" role="tabpanel" aria-label={shown.label} class="stack">
        <div class="snippet">
          <pre tabIndex={0}>{shown.text}</pre>
          <CopyButton text={shown.text} label="Copy the snippet" />
        </div>
        <p class="muted">
          {shown.note} It reads version {frame.manifest.version}, which never changes as long as it is kept;
          leave out <code>@{frame.manifest.version}</code> to read the newest.
        </p>
      </div>
    </div>
  );
}
