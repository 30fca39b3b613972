import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { base } from '../../server/base.ts';
import { href } from '../../shell/router.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { durationText, plural } from '../../ui/format.ts';
import { MenuButton } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { EngineChoice, isDistributed } from './engine-choice.tsx';
import type { QueryTab } from './query-tabs.ts';
import { SaveQueryDialog } from './save-query-dialog.tsx';
import type { RunPurpose, StatementRun } from './statement-run.ts';

export type SidePanel = 'history' | 'saved';

/** Addresses that are longer are cut by mail programs and proxies. */
const addressCharactersMax = 8_000;

export function Toolbar({
  tab,
  panel,
  onStart,
  onCancel,
}: {
  readonly tab: QueryTab;
  readonly panel: Signal<SidePanel | null>;
  readonly onStart: (purpose: RunPurpose) => void;
  readonly onCancel: () => void;
}) {
  const isSaving = useSignal(false);
  const run = tab.run.value;
  const isRunning = run?.state.value === 'running';
  const toggle = (wanted: SidePanel) => {
    panel.value = panel.value === wanted ? null : wanted;
  };
  return (
    <div class="query-toolbar" role="toolbar" aria-label="Query">
      {isRunning ? (
        <Button kind="danger" icon="stop" class="query-run" onClick={onCancel}>
          Cancel <kbd>Esc</kbd>
        </Button>
      ) : (
        <Button kind="primary" icon="play" class="query-run" onClick={() => onStart('rows')}>
          Run <kbd>Ctrl ⏎</kbd>
        </Button>
      )}
      <EngineChoice engine={tab.engine} />
      {!isDistributed(tab.engine.value) && (
        <MenuButton
          label="Explain"
          kind="quiet"
          items={[
            { label: 'Plan', hint: 'How it would run', run: () => onStart('plan') },
            { label: 'Plan with timings', hint: 'Runs it', run: () => onStart('timings') },
          ]}
        >
          Explain
        </MenuButton>
      )}
      {isRunning && <RunProgress run={run} />}
      <div class="query-tools">
        <IconButton icon="save" label="Save this query" onClick={() => (isSaving.value = true)} />
        <IconButton icon="link" label="Copy a link to this query" onClick={() => copyLink(tab.text.peek())} />
        <Button
          kind="quiet"
          icon="history"
          aria-pressed={panel.value === 'history'}
          onClick={() => toggle('history')}
        >
          <span class="query-tool-text">History</span>
        </Button>
        <Button
          kind="quiet"
          icon="bookmark"
          aria-pressed={panel.value === 'saved'}
          onClick={() => toggle('saved')}
        >
          <span class="query-tool-text">Saved</span>
        </Button>
      </div>
      {isSaving.value && <SaveQueryDialog tab={tab} onClose={() => (isSaving.value = false)} />}
    </div>
  );
}

function RunProgress({ run }: { readonly run: StatementRun }) {
  const progress = run.progress.value;
  const rows = run.rows.value?.rowCount.value ?? 0;
  const text = run.isWaiting.value ? 'Waiting for its turn' : rows > 0 ? plural(rows, 'row') : 'Running';
  return (
    <div class="query-progress">
      <progress
        aria-label="Progress of the statement"
        {...(progress === null ? {} : { value: progress, max: 1 })}
      />
      <span class="muted numeric">
        {text}
        {progress === null ? '' : ` · ${Math.floor(progress * 100)} %`} · {durationText(run.elapsedMs.value)}
      </span>
    </div>
  );
}

async function copyLink(text: string): Promise<void> {
  const address = new URL(href('query', null, null, { sql: text }), base).href;
  if (address.length > addressCharactersMax) {
    toast({
      text: 'This query is too long for a link.',
      detail: 'Save it instead: your tenant can open saved queries.',
    });
    return;
  }
  if (await copyText(address))
    toast({ kind: 'ok', text: 'Link copied.', detail: 'It opens this query without running it.' });
}
