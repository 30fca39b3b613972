import type { LinkEntry, Manifest, NewLink } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { now } from '../../ui/clock.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { timeText, untilText } from '../../ui/format.ts';

const lifetimes = [
  { value: '1h', label: '1 hour' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

/** Who else may read: people with a link, and other tenants. */
export function ShareDialog({
  manifest,
  onClose,
}: {
  readonly manifest: Manifest;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={`Share ${manifest.name}`} onClose={onClose}>
      <div class="stack share">
        <Links manifest={manifest} />
        <Tenants name={manifest.name} />
      </div>
    </Dialog>
  );
}

function Links({ manifest: { name, handle } }: { readonly manifest: Manifest }) {
  const links = useSignal<readonly LinkEntry[] | null>(null);
  const made = useSignal<NewLink | null>(null);
  const ttl = useSignal('1d');
  const failure = useSignal<unknown>(null);
  const attempt = (work: () => Promise<void>) => {
    failure.value = null;
    work().catch((error) => {
      failure.value = error;
    });
  };
  const reload = async () => {
    links.value = await api.frames.links(name);
  };
  useEffect(() => attempt(reload), [name]);
  const create = async () => {
    made.value = await api.frames.link(handle, { ttl: ttl.value });
    await reload();
  };
  const revoke = async (id: string) => {
    await api.frames.unlink(name, id);
    if (made.peek()?.id === id) made.value = null;
    await reload();
  };
  return (
    <section class="stack" aria-label="Links">
      <div>
        <h3>Link to version {handle.slice(handle.lastIndexOf('@') + 1)}</h3>
        <p class="muted">
          Anyone who has the link can see and download these rows until it expires. The version is kept as
          long.
        </p>
      </div>
      <form
        class="share-line"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(create);
        }}
      >
        <SelectField
          label="Valid for"
          value={ttl.value}
          choices={lifetimes}
          onChoose={(value) => {
            ttl.value = value;
          }}
        />
        <Button type="submit" kind="primary" icon="link">
          Create link
        </Button>
      </form>
      {made.value !== null && (
        <div class="share-line share-new">
          <input
            class="input mono"
            readOnly
            aria-label="The new link"
            value={absolute(made.value.url)}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton wide label="Copy link" text={absolute(made.value.url)} />
        </div>
      )}
      {failure.value !== null && <ErrorNote error={failure.value} />}
      {links.value !== null && links.value.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Version</th>
              <th>Created by</th>
              <th>Expires</th>
              <th>
                <span class="unseen">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {links.value.map((link) => (
              <tr key={link.id}>
                <td>{link.handle.slice(link.handle.lastIndexOf('@') + 1)}</td>
                <td class="clip" title={timeText(link.createdAt)}>
                  {link.createdBy}
                </td>
                <td title={timeText(link.expiresAt)}>{untilText(link.expiresAt, now.value)}</td>
                <td class="numeric">
                  <Button kind="danger" onClick={() => attempt(() => revoke(link.id))}>
                    Revoke
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Tenants({ name }: { readonly name: string }) {
  const tenants = useSignal<readonly string[] | null>(null);
  const tenant = useSignal('');
  const failure = useSignal<unknown>(null);
  const change = (work: () => Promise<readonly string[]>) => {
    failure.value = null;
    work()
      .then((shares) => {
        tenants.value = shares;
      })
      .catch((error) => {
        failure.value = error;
      });
  };
  useEffect(() => change(() => api.frames.shares(name)), [name]);
  return (
    <section class="stack" aria-label="Tenants">
      <div>
        <h3>Other tenants</h3>
        <p class="muted">They read all versions, also future ones, and can change nothing.</p>
      </div>
      <form
        class="share-line"
        onSubmit={(event) => {
          event.preventDefault();
          const added = tenant.value.trim();
          if (added === '') return;
          tenant.value = '';
          change(() => api.frames.share(name, added));
        }}
      >
        <TextField
          label="Tenant"
          value={tenant.value}
          onText={(text) => {
            tenant.value = text;
          }}
        />
        <Button type="submit">Share</Button>
      </form>
      {failure.value !== null && <ErrorNote error={failure.value} />}
      {tenants.value !== null && tenants.value.length > 0 && (
        <ul class="share-tenants">
          {tenants.value.map((each) => (
            <li key={each} class="chip">
              <span class="mono">{each}</span>
              <IconButton
                icon="close"
                label={`Stop sharing with ${each}`}
                onClick={() => change(() => api.frames.unshare(name, each))}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A server without `public_url` may answer with a path only. */
function absolute(url: string): string {
  return new URL(url, api.url).href;
}
