import { FrameholdError } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { type ComponentType, Fragment } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { ResultChartProps } from '../../chart/result-chart.tsx';
import { Grid } from '../../grid/grid.tsx';
import { downloadFormats } from '../../server/download.ts';
import { href } from '../../shell/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { errorText } from '../../ui/error-note.tsx';
import { countText, durationText, plural } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { MenuButton } from '../../ui/menu.tsx';
import { Loading } from '../../ui/spinner.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ChangeOutcome } from './change-outcome.tsx';
import { downloadResult } from './download-result.ts';
import { FirstSteps } from './first-steps.tsx';
import { PlanTree } from './plan-tree.tsx';
import type { QueryTab, ResultView } from './query-tabs.ts';
import { resultRowsMax } from './result-rows.ts';
import { SaveFrameDialog } from './save-frame-dialog.tsx';
import type { StatementRun } from './statement-run.ts';

export function ResultPane({
  tab,
  onReveal,
}: {
  readonly tab: QueryTab;
  readonly onReveal: (position: number) => void;
}) {
  const run = tab.run.value;
  if (run === null) return <FirstSteps />;
  const state = run.state.value;
  const change = run.change.value;
  if (change !== null) return <ChangeOutcome change={change} elapsedMs={run.elapsedMs.value} />;
  return (
    <Fragment key={run.id}>
      {state === 'failed' && <RunError run={run} text={tab.text.peek()} onReveal={onReveal} />}
      {state === 'cancelled' && (
        <p class="query-note" role="status">
          <Icon name="stop" />
          Cancelled after {durationText(run.elapsedMs.value)}.
          {run.rows.value !== null && ' These rows had arrived; there may be more.'}
        </p>
      )}
      {run.rows.value !== null ? (
        <Result run={run} tab={tab} />
      ) : (
        state === 'running' && <Loading label={run.isWaiting.value ? 'Waiting for its turn' : 'Running'} />
      )}
    </Fragment>
  );
}

function Result({ run, tab }: { readonly run: StatementRun; readonly tab: QueryTab }) {
  const panel = useId();
  const isSaving = useSignal(false);
  const rows = run.rows.value;
  if (rows === null) return null;
  const hasPlan = run.plan.value !== null;
  const view = tab.view.value === 'plan' && !hasPlan ? 'rows' : tab.view.value;
  const count = rows.rowCount.value;
  const views = [
    { id: 'rows', label: 'Rows' },
    { id: 'chart', label: 'Chart' },
    ...(hasPlan ? [{ id: 'plan', label: 'Plan' }] : []),
  ];
  return (
    <section class="query-result" aria-label="Result">
      <div class="query-result-bar">
        <Tabs
          label="Result"
          tabs={views}
          selected={view}
          onSelect={(id) => {
            tab.view.value = id as ResultView;
          }}
          panelId={panel}
        />
        <p class="query-facts muted" role="status">
          {run.request.purpose === 'rows' && (
            <span class="numeric">
              {run.cut.value === null ? plural(count, 'row') : `first ${countText(count)} rows`}
            </span>
          )}
          {run.state.value === 'done' && (
            <span class="query-elapsed numeric">{durationText(run.elapsedMs.value)}</span>
          )}
          {run.sources.value.length > 0 && <Sources handles={run.sources.value} />}
        </p>
        {run.request.purpose === 'rows' && (
          <div class="query-tools">
            <MenuButton
              label="Download"
              icon="download"
              align="end"
              kind="quiet"
              items={downloadFormats.map(({ format, label }) => ({
                label,
                run: () => void downloadResult(run, format),
              }))}
            >
              <span class="query-tool-text">Download</span>
            </MenuButton>
            <Button kind="quiet" icon="frames" onClick={() => (isSaving.value = true)}>
              <span class="query-tool-text">Save as frame</span>
            </Button>
          </div>
        )}
      </div>
      {run.cut.value !== null && <CutNote run={run} onSave={() => (isSaving.value = true)} />}
      <div id={panel} class="query-result-body" role="tabpanel" aria-label={view} tabIndex={-1}>
        {run.rowsForgotten.value ? (
          <EmptyState icon="refresh" title="These rows are no longer in memory">
            <p class="muted">Only the newest five results are kept. Run the statement again.</p>
          </EmptyState>
        ) : view === 'rows' ? (
          <Grid source={rows} label="Rows of the result" />
        ) : view === 'chart' ? (
          <LazyChart
            rows={rows}
            choice={tab.chart.value}
            onChoice={(choice) => {
              tab.chart.value = choice;
            }}
          />
        ) : (
          run.plan.value !== null && <PlanTree plan={run.plan.value} />
        )}
      </div>
      {isSaving.value && <SaveFrameDialog request={run.request} onClose={() => (isSaving.value = false)} />}
    </section>
  );
}

/** A few of them; the rest in the title. */
const sourcesShown = 3;

function Sources({ handles }: { readonly handles: readonly string[] }) {
  return (
    <span class="query-sources clip" title={handles.join(', ')}>
      from{' '}
      {handles.slice(0, sourcesShown).map((handle, index) => (
        <Fragment key={handle}>
          {index > 0 && ', '}
          <a href={href('frames', handle)}>{handle}</a>
        </Fragment>
      ))}
      {handles.length > sourcesShown && ` and ${handles.length - sourcesShown} more`}
    </span>
  );
}

function CutNote({ run, onSave }: { readonly run: StatementRun; readonly onSave: () => void }) {
  const reason =
    run.cut.value === 'rows'
      ? `There are more than ${countText(resultRowsMax)} rows. These are the first ${countText(resultRowsMax)}.`
      : 'The rows are too large to show all of them. These are the first ones.';
  return (
    <p class="query-note query-note-cut" role="status">
      <Icon name="info" />
      <span>{reason}</span>
      <button type="button" class="text-button" onClick={onSave}>
        Store all as a frame
      </button>
      <button type="button" class="text-button" onClick={() => void downloadResult(run, 'parquet')}>
        Download all
      </button>
    </p>
  );
}

function RunError({
  run,
  text: written,
  onReveal,
}: {
  readonly run: StatementRun;
  /** Of the tab, to count lines. */
  readonly text: string;
  readonly onReveal: (position: number) => void;
}) {
  const error = run.error.value;
  const { text, hint } = errorText(error);
  const position = run.errorPosition;
  // The engine repeats the line with a mark below; the editor shows the same at the place itself.
  const shown = position === null ? text : text.replace(/\n+LINE \d+:[^\n]*\n *\^\s*$/, '');
  return (
    <div class="note note-error query-error" role="alert">
      <Icon name="warning" />
      <div>
        <pre class="query-error-text">{shown}</pre>
        {hint !== null && <p class="muted">{hint}</p>}
        <p class="query-error-more muted">
          {error instanceof FrameholdError && <code>{error.code}</code>}
          {position !== null && (
            <button type="button" class="text-button" onClick={() => onReveal(position)}>
              Show {placeText(written, position)}
            </button>
          )}
        </p>
      </div>
    </div>
  );
}

function placeText(text: string, position: number): string {
  const before = text.slice(0, position);
  return `line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`;
}

/** Charts are loaded when the first one is opened. */
function LazyChart(props: ResultChartProps) {
  const [Chart, setChart] = useState<ComponentType<ResultChartProps> | null>(null);
  useEffect(() => {
    let isGone = false;
    import('../../chart/result-chart.tsx').then(
      (module) => {
        if (!isGone) setChart(() => module.ResultChart);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, []);
  return Chart === null ? <Loading label="Loading the chart" /> : <Chart {...props} />;
}
