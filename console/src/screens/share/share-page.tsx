import './share.css';
import { Framehold, FrameholdError, type Manifest } from '@framehold/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { frameRows } from '../../grid/frame-rows.ts';
import { Grid } from '../../grid/grid.tsx';
import { base } from '../../server/base.ts';
import { downloadFormats, fileName, rowsUrl } from '../../server/download.ts';
import type { SharedLink } from '../../server/page-address.ts';
import { Mark } from '../../shell/mark.tsx';
import { href, route } from '../../shell/router.ts';
import { ThemeMenu } from '../../shell/theme-menu.tsx';
import { now } from '../../ui/clock.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote, isAbort } from '../../ui/error-note.tsx';
import { agoText, bytesText, countText, plural, timeText } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/spinner.tsx';
import { TabLinks } from '../../ui/tabs.tsx';

/** Without the token of the tab, if there is one: the link alone opens this version, for everyone who has it. */
const visitor = new Framehold({ url: base });

/** What somebody sees who opens a shared link: one version of a frame, to read and to download. */
export function SharePage({ link }: { readonly link: SharedLink }) {
  const [manifest, setManifest] = useState<Manifest | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    document.title = `${link.handle} · Framehold`;
    const controller = new AbortController();
    visitor.frames
      .get(link.handle, { link: link.link, signal: controller.signal })
      .then(setManifest, (thrown) => {
        if (!isAbort(thrown)) setError(thrown);
      });
    return () => controller.abort();
  }, [link]);
  return (
    <div class="shell">
      <header class="header">
        <span class="brand">
          <Mark />
          <span class="brand-name">Framehold</span>
        </span>
        <span class="badge share-badge">
          <Icon name="link" size={12} /> Shared with a link
        </span>
        <div class="header-tools share-tools">
          <ThemeMenu />
        </div>
      </header>
      <main class="main share" id="main">
        {error !== null ? (
          <NoFrame error={error} />
        ) : manifest === null ? (
          <Loading label="Opening the frame" />
        ) : (
          <SharedFrame manifest={manifest} link={link} />
        )}
      </main>
    </div>
  );
}

function SharedFrame({ manifest, link }: { readonly manifest: Manifest; readonly link: SharedLink }) {
  const { handle, rows, bytes, columns, createdAt } = manifest;
  const tab = route.value.screen === 'schema' ? 'schema' : 'rows';
  const source = useMemo(() => frameRows(visitor, manifest, link.link), [manifest, link]);
  return (
    <>
      <div class="share-head">
        <h1 title={handle}>{handle}</h1>
        <p class="muted">
          {plural(rows, 'row')} · {plural(columns.length, 'column')} · {bytesText(bytes)} ·{' '}
          <span title={timeText(createdAt)}>{agoText(createdAt, now.value)}</span>
        </p>
        <Downloads link={link} />
      </div>
      <TabLinks
        label="Views"
        selected={tab}
        tabs={[
          { id: 'rows', label: 'Rows', href: href('rows') },
          { id: 'schema', label: 'Schema', href: href('schema'), count: countText(columns.length) },
        ]}
      />
      {tab === 'rows' ? (
        <div class="share-grid">
          <Grid source={source} label={`Rows of ${handle}`} />
        </div>
      ) : (
        <Schema manifest={manifest} />
      )}
    </>
  );
}

/** Plain links: the browser downloads by itself, and each address can be given to a program. */
function Downloads({ link }: { readonly link: SharedLink }) {
  return (
    <div class="share-downloads">
      <span class="muted">Download</span>
      {downloadFormats.map(({ format, label }) => (
        <a
          key={format}
          class="button"
          href={rowsUrl(link.handle, format, link.link).href}
          download={fileName(link.handle, format)}
        >
          {label}
        </a>
      ))}
      <CopyButton
        label="Copy a curl command"
        text={() =>
          `curl -o '${fileName(link.handle, 'csv')}' '${rowsUrl(link.handle, 'csv', link.link).href}'`
        }
      />
    </div>
  );
}

function Schema({ manifest }: { readonly manifest: Manifest }) {
  return (
    <div class="share-schema">
      <table class="table card">
        <thead>
          <tr>
            <th scope="col" class="numeric">
              #
            </th>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
          </tr>
        </thead>
        <tbody>
          {manifest.columns.map(({ name, type }, index) => (
            <tr key={`${index} ${name}`}>
              <td class="numeric muted">{index + 1}</td>
              <td class="share-column">{name}</td>
              <td class="mono muted">{type}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Links end: by themselves, or because whoever made them took them back. */
function NoFrame({ error }: { readonly error: unknown }) {
  const { code, status } = error instanceof FrameholdError ? error : { code: '', status: 0 };
  if (code === 'link_revoked')
    return (
      <EmptyState isPage icon="link" title="This link was taken back">
        <p class="muted">Whoever gave it to you can make a new one.</p>
      </EmptyState>
    );
  if (status === 401)
    return (
      <EmptyState isPage icon="clock" title="This link has expired">
        <p class="muted">Or it was not copied completely. Whoever gave it to you can make a new one.</p>
      </EmptyState>
    );
  if (status === 404 || status === 410)
    return (
      <EmptyState isPage icon="drop" title="This frame is gone">
        <p class="muted">It was dropped, or it has expired. Ask whoever gave you the link.</p>
      </EmptyState>
    );
  return (
    <div class="screen">
      <ErrorNote error={error} retry={() => location.reload()} />
    </div>
  );
}
