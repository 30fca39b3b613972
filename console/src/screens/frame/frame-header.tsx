import type { Manifest } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { download, downloadFormats } from '../../server/download.ts';
import { dropFrame } from '../../server/drop-frame.ts';
import { href } from '../../shell/router.ts';
import { quotedName } from '../../sql/sql-names.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { now } from '../../ui/clock.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { agoText, bytesText, countText, plural, timeText } from '../../ui/format.ts';
import { MenuButton } from '../../ui/menu.tsx';
import { AppendDialog } from './append-dialog.tsx';
import { Expiry } from './expiry.tsx';
import { isShared } from './handles.ts';
import { mayChange } from './may-change.ts';
import { ShareDialog } from './share-dialog.tsx';

/** What the frame is, and what can be done with it. */
export function FrameHeader({
  manifest,
  isPinned,
}: {
  readonly manifest: Manifest;
  readonly isPinned: boolean;
}) {
  const dialog = useSignal<'share' | 'append' | null>(null);
  const { name, handle, version } = manifest;
  const canChange = mayChange(name);
  const close = () => {
    dialog.value = null;
  };
  return (
    <header class="frame-header">
      <div class="frame-title">
        <h1 title={handle}>{name}</h1>
        <a
          class={`badge ${isPinned ? 'badge-accent' : ''}`}
          href={href('frames', isPinned ? handle : name, 'versions')}
          title={isPinned ? 'This address shows this version as long as it is kept' : 'The newest version'}
        >
          {isPinned ? 'pinned to ' : ''}version {version}
        </a>
        <CopyButton text={handle} label={`Copy ${handle}`} />
      </div>
      <dl class="frame-facts">
        <Fact label="Rows" text={countText(manifest.rows)} />
        <Fact label="Columns" text={countText(manifest.columns.length)} />
        <Fact
          label="Size"
          text={bytesText(manifest.bytes)}
          title={`${countText(manifest.bytes)} bytes of Arrow, as they were put`}
        />
        <Fact
          label="Created"
          text={agoText(manifest.createdAt, now.value)}
          title={timeText(manifest.createdAt)}
        />
        <div class="frame-fact">
          <dt>Expires</dt>
          <dd>
            <Expiry manifest={manifest} canChange={canChange} />
          </dd>
        </div>
      </dl>
      <div class="frame-actions">
        <ButtonLink
          icon="query"
          href={href('query', null, null, {
            sql: `select *\nfrom ${quotedName(isPinned ? handle : name)}\nlimit 100`,
          })}
        >
          Query
        </ButtonLink>
        <MenuButton
          label="Download"
          icon="download"
          items={downloadFormats.map(({ format, label }) => ({
            label,
            hint: plural(manifest.rows, 'row'),
            run: () => void download(handle, format),
          }))}
        >
          Download
        </MenuButton>
        {!isShared(name) && (
          <Button
            icon="share"
            onClick={() => {
              dialog.value = 'share';
            }}
          >
            Share
          </Button>
        )}
        {canChange && (
          <MenuButton
            label="More"
            icon="more"
            items={[
              {
                label: 'Append rows',
                icon: 'add',
                run: () => {
                  dialog.value = 'append';
                },
              },
              {
                label: `Drop ${name}`,
                icon: 'drop',
                kind: 'danger',
                separated: true,
                run: () => void dropFrame(name),
              },
            ]}
          />
        )}
      </div>
      {dialog.value === 'share' && <ShareDialog manifest={manifest} onClose={close} />}
      {dialog.value === 'append' && <AppendDialog manifest={manifest} onClose={close} />}
    </header>
  );
}

function Fact({
  label,
  text,
  title,
}: {
  readonly label: string;
  readonly text: string;
  readonly title?: string;
}) {
  return (
    <div class="frame-fact">
      <dt>{label}</dt>
      <dd title={title}>{text}</dd>
    </div>
  );
}
