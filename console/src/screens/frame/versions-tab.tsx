import type { Diff, Manifest, ManifestSummary, Tag } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { onLive } from '../../server/live.ts';
import type { Route } from '../../shell/route.ts';
import { href, navigate, setParameters } from '../../shell/router.ts';
import { Button } from '../../ui/button.tsx';
import { now } from '../../ui/clock.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { agoText, bytesText, countText, plural, timeText } from '../../ui/format.ts';
import { Loading, Spinner } from '../../ui/spinner.tsx';
import { SubmitDialog } from '../../ui/submit-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import type { FrameState } from './frame-state.ts';
import { isShared } from './handles.ts';
import { originText } from './origin-text.ts';
import { VersionDiff } from './version-diff.tsx';
import { TagDialog, VersionTags } from './version-tags.tsx';

/** The kept versions, what changed between two of them, and a way back to an earlier one. */
export function VersionsTab({ frame, route }: { readonly frame: FrameState; readonly route: Route }) {
  const { manifest } = frame;
  const versions = useSignal<readonly ManifestSummary[] | null>(null);
  const next = useSignal<string | null>(null);
  const failure = useSignal<unknown>(null);
  const restoring = useSignal<number | null>(null);
  const tags = useSignal<readonly Tag[]>([]);
  const tagging = useSignal<number | null>(null);
  const load = async (cursor: string | null) => {
    try {
      const page = await api.frames.versions(manifest.name, cursor === null ? {} : { cursor });
      versions.value = [...(cursor === null ? [] : (versions.peek() ?? [])), ...page.versions];
      next.value = page.next;
      tags.value = await api.frames.tags(manifest.name);
    } catch (error) {
      failure.value = error;
    }
  };
  const remove = (tag: string) => {
    api.frames.untag(manifest.name, tag).catch((error) => {
      failure.value = error;
    });
  };
  useEffect(() => {
    void load(null);
    return onLive((event) => {
      if ('name' in event && event.name === manifest.name) void load(null);
    });
  }, [manifest.name]);
  if (failure.value !== null) return <ErrorNote error={failure.value} />;
  if (versions.value === null) return <Loading />;
  const newest = versions.value[0]?.version ?? manifest.version;
  const chosen = chosenVersions(route, manifest, versions.value);
  return (
    <div class="frame-page">
      <div class="card table-card">
        <table class="table versions">
          <thead>
            <tr>
              <th>Version</th>
              <th class="numeric">Rows</th>
              <th class="numeric">Size</th>
              <th>Created</th>
              <th>Origin</th>
              <th>
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {versions.value.map((each) => (
              <tr key={each.version} class={each.version === manifest.version ? 'is-shown' : ''}>
                <td>
                  <a href={href('frames', each.handle, 'rows')}>Version {each.version}</a>
                  {each.version === newest && <span class="badge badge-ok">newest</span>}
                  {each.version === manifest.version && <span class="badge">shown</span>}
                  <VersionTags
                    name={manifest.name}
                    tags={tags.value.filter(({ version }) => version === each.version)}
                    onRemove={isShared(manifest.name) ? null : remove}
                  />
                </td>
                <td class="numeric">{countText(each.rows)}</td>
                <td class="numeric">{bytesText(each.bytes)}</td>
                <td title={timeText(each.createdAt)}>{agoText(each.createdAt, now.value)}</td>
                <td>{originText(each.origin)}</td>
                <td class="versions-actions">
                  {!isShared(manifest.name) && (
                    <Button
                      kind="quiet"
                      onClick={() => {
                        tagging.value = each.version;
                      }}
                    >
                      Tag
                    </Button>
                  )}
                  {each.version !== newest && !isShared(manifest.name) && (
                    <Button
                      kind="quiet"
                      onClick={() => {
                        restoring.value = each.version;
                      }}
                    >
                      Restore
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next.value !== null && <Button onClick={() => void load(next.value)}>Older versions</Button>}
      {versions.value.length > 1 && chosen !== null && (
        <Comparison name={manifest.name} versions={versions.value} from={chosen.from} to={chosen.to} />
      )}
      {tagging.value !== null && (
        <TagDialog
          name={manifest.name}
          version={tagging.value}
          tags={tags.value}
          onClose={() => {
            tagging.value = null;
          }}
        />
      )}
      {restoring.value !== null && (
        <RestoreDialog
          manifest={manifest}
          version={restoring.value}
          newest={newest}
          onClose={() => {
            restoring.value = null;
          }}
        />
      )}
    </div>
  );
}

/** From the address; otherwise the version that is shown and the one before it. */
function chosenVersions(
  route: Route,
  manifest: Manifest,
  versions: readonly ManifestSummary[],
): { readonly from: number; readonly to: number } | null {
  const numbers = versions.map(({ version }) => version);
  const asked = (name: string) => {
    const version = Number(route.parameters.get(name));
    return numbers.includes(version) ? version : undefined;
  };
  const to = asked('to') ?? (numbers.at(-1) === manifest.version ? numbers.at(-2) : manifest.version);
  const from = asked('from') ?? numbers.find((version) => to !== undefined && version < to) ?? numbers.at(-1);
  return from === undefined || to === undefined ? null : { from, to };
}

function Comparison({
  name,
  versions,
  from,
  to,
}: {
  readonly name: string;
  readonly versions: readonly ManifestSummary[];
  readonly from: number;
  readonly to: number;
}) {
  const diff = useSignal<Diff | null>(null);
  const failure = useSignal<unknown>(null);
  useEffect(() => {
    const request = new AbortController();
    diff.value = null;
    failure.value = null;
    if (from === to) return;
    api.frames
      .diff(name, from, to, { signal: request.signal })
      .then((found) => {
        diff.value = found;
      })
      .catch((error) => {
        if (!request.signal.aborted) failure.value = error;
      });
    return () => request.abort();
  }, [name, from, to]);
  const select = (parameter: 'from' | 'to', label: string, value: number) => (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => setParameters({ [parameter]: event.currentTarget.value })}
    >
      {versions.map(({ version }) => (
        <option key={version} value={version}>
          version {version}
        </option>
      ))}
    </select>
  );
  return (
    <section class="card comparison" aria-label="Comparison">
      <div class="comparison-line">
        <h2>What changed from</h2>
        {select('from', 'From version', from)}
        <span>to</span>
        {select('to', 'To version', to)}
        {diff.value === null && failure.value === null && from !== to && (
          <Spinner label="Comparing the versions" />
        )}
      </div>
      {from === to && <p class="muted">Choose two different versions.</p>}
      {failure.value !== null && <ErrorNote error={failure.value} />}
      {diff.value !== null && <VersionDiff name={name} diff={diff.value} />}
    </section>
  );
}

function RestoreDialog({
  manifest,
  version,
  newest,
  onClose,
}: {
  readonly manifest: Manifest;
  readonly version: number;
  readonly newest: number;
  readonly onClose: () => void;
}) {
  const { name } = manifest;
  const restore = async () => {
    const restored = await api.frames.restore(name, version, {
      idempotencyKey: crypto.getRandomValues(new Uint32Array(4)).join('-'),
    });
    toast({
      kind: 'ok',
      text: `Version ${restored.version} of ${name} has the ${plural(restored.rows, 'row')} of version ${version}.`,
    });
    navigate(href('frames', name, 'versions'));
  };
  return (
    <SubmitDialog
      title={`Restore version ${version}?`}
      size="small"
      action="Restore"
      submit={restore}
      onClose={onClose}
    >
      <p>
        The rows of version {version} become the next version of <strong>{name}</strong>. Version {newest} and
        all others stay.
      </p>
    </SubmitDialog>
  );
}
