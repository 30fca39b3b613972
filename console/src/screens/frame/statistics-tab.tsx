import './statistics.css';
import type { ColumnStatistics } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Route } from '../../shell/route.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { countText } from '../../ui/format.ts';
import { Loading } from '../../ui/spinner.tsx';
import type { FrameState } from './frame-state.ts';
import { Histogram } from './histogram.tsx';

/** Pictures of more columns slow the page down; the search finds the others. */
const shownMax = 200;

/** What the values of each column are like. The server computes it once for each version. */
export function StatisticsTab({ frame, route }: { readonly frame: FrameState; readonly route: Route }) {
  const failure = useSignal<unknown>(null);
  const search = useSignal(route.parameters.get('column') ?? '');
  const tries = useSignal(0);
  useEffect(() => {
    failure.value = null;
    frame.loadStatistics().catch((error) => {
      if (error?.name !== 'AbortError') failure.value = error;
    });
  }, [frame, tries.value]);
  if (failure.value !== null) {
    return (
      <div class="frame-note">
        <ErrorNote
          error={failure.value}
          retry={() => {
            tries.value++;
          }}
        />
      </div>
    );
  }
  const statistics = frame.statistics.value;
  if (statistics === null) return <Loading label="The server reads all rows once" />;
  const wanted = search.value.trim().toLowerCase();
  const found = statistics.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <div class="frame-page">
      <input
        class="input frame-search"
        type="search"
        aria-label="Search columns"
        placeholder={`Search ${countText(statistics.length)} columns`}
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value;
        }}
      />
      <ul class="statistics">
        {found.slice(0, shownMax).map((column) => (
          <Column key={column.name} column={column} rows={frame.manifest.rows} />
        ))}
      </ul>
      {found.length > shownMax && (
        <p class="muted">{countText(found.length - shownMax)} more: search to find them.</p>
      )}
      {found.length === 0 && <p class="muted">No column matches.</p>}
    </div>
  );
}

function Column({ column, rows }: { readonly column: ColumnStatistics; readonly rows: number }) {
  const { name, type, nulls, distinct, min, max, mean, histogram } = column;
  const { reason, notFinite = 0 } = column as { readonly reason?: string; readonly notFinite?: number };
  return (
    <li class="card statistic">
      <div class="statistic-title">
        <h2 class="clip" title={name}>
          {name === '' ? '(no name)' : name}
        </h2>
        <span class="muted">{type.toLowerCase()}</span>
      </div>
      {histogram === null ? (
        <p class="muted statistic-none">{reason ?? 'There is no picture of this type.'}</p>
      ) : (
        <Histogram histogram={histogram} label={`Distribution of ${name} from ${min} to ${max}`} />
      )}
      <dl class="statistic-facts">
        {min !== null && <Fact label="Min" text={min} />}
        {max !== null && <Fact label="Max" text={max} />}
        {mean !== null && <Fact label="Mean" text={mean} />}
        {distinct !== null && (
          // It is an estimate unless all values are listed.
          <Fact
            label="Distinct"
            text={`${histogram?.kind === 'values' && histogram.others === 0 ? '' : 'about '}${countText(distinct)}`}
          />
        )}
        {nulls !== null && (
          <Fact label="Nulls" text={nulls === 0 ? 'none' : `${countText(nulls)} (${percent(nulls, rows)})`} />
        )}
        {notFinite > 0 && <Fact label="Not finite" text={countText(notFinite)} />}
      </dl>
    </li>
  );
}

function Fact({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="clip mono" title={text}>
        {text === '' ? <em class="muted">empty</em> : text}
      </dd>
    </div>
  );
}

function percent(part: number, whole: number): string {
  const share = (part / Math.max(whole, 1)) * 100;
  return share > 0 && share < 0.1 ? '< 0.1 %' : `${share.toFixed(1)} %`;
}
