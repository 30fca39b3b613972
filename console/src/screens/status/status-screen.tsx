import './status.css';
import type { Status } from '@framehold/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { refreshStatus, status } from '../../server/api.ts';
import { base } from '../../server/base.ts';
import { now } from '../../ui/clock.ts';
import { ErrorNote, isAbort } from '../../ui/error-note.tsx';
import { bytesText, countText, plural, spanText, timeText } from '../../ui/format.ts';
import { Loading } from '../../ui/spinner.tsx';
import { Statements } from './statements.tsx';
import { Tenants } from './tenants.tsx';

const refreshMs = 5_000;

export function StatusScreen() {
  const error = useStatus();
  const shown = status.value;
  if (shown === null)
    return error === null ? <Loading label="Asking the server" /> : <ErrorNote error={error} />;
  const { scopes } = shown.caller;
  const isOperator = scopes.includes('operator');
  return (
    <div class="screen status">
      <h1>Status</h1>
      {error !== null && <ErrorNote error={error} />}
      <div class="status-cards">
        <Server shown={shown} />
        {shown.storage !== undefined && <Storage storage={shown.storage} />}
        {shown.settling !== undefined && (
          <Card
            title="Transcoding"
            main={shown.settling.parts === 0 ? 'Nothing waits' : plural(shown.settling.parts, 'part')}
          >
            <p class="muted">
              {shown.settling.parts === 0
                ? 'Every part is stored as Parquet.'
                : `${bytesText(shown.settling.bytes)} to be written as Parquet in the background.`}
            </p>
          </Card>
        )}
        <Card title="You" main={shown.caller.name}>
          <p class="muted">
            {shown.caller.tenant === null ? 'Operator of the server' : `Tenant ${shown.caller.tenant}`}
          </p>
          <p class="status-scopes">
            {scopes.map((scope) => (
              <span key={scope} class="badge">
                {scope}
              </span>
            ))}
          </p>
        </Card>
      </div>
      <Statements />
      {shown.limits !== undefined && <Limits limits={shown.limits} />}
      {isOperator && <Tenants />}
    </div>
  );
}

function Server({ shown }: { readonly shown: Status }) {
  return (
    <Card
      title="Server"
      main={
        <>
          Framehold {shown.version}{' '}
          <span class={`badge ${shown.ready ? 'badge-ok' : 'badge-warn'}`}>
            {shown.ready ? 'ready' : 'not ready'}
          </span>
        </>
      }
    >
      <p class="muted" title={timeText(shown.startedAt)}>
        Up for {spanText(now.value - Date.parse(shown.startedAt))} at{' '}
        <span class="status-address">{base.host + base.pathname.slice(0, -1)}</span>
      </p>
      <p class="muted">
        {shown.open ? 'Open to everyone who can connect' : 'Asks for credentials'}
        {shown.tsdb ? '; an external database is configured' : ''}
      </p>
    </Card>
  );
}

function Storage({ storage }: { readonly storage: NonNullable<Status['storage']> }) {
  const { frames, bytes, bytesMax } = storage;
  return (
    <Card title="Storage" main={bytesText(bytes)}>
      {bytesMax !== null && (
        <meter
          class="status-meter"
          min={0}
          max={bytesMax}
          high={bytesMax * 0.8}
          value={bytes}
          aria-label="Share of the limit that is used"
        />
      )}
      <p class="muted" title={`${countText(bytes)} bytes`}>
        {plural(frames, 'frame')}
        {bytesMax === null ? ', no limit' : ` · ${bytesText(bytesMax)} allowed`}
      </p>
    </Card>
  );
}

const limitLabels: Readonly<Record<string, string>> = {
  bytesMax: 'Bytes',
  framesMax: 'Frames',
  queriesMax: 'Statements at once',
  streamsMax: 'Puts and reads at once',
  requestsPerSecond: 'Requests per second',
  requestsBurst: 'Requests in a burst',
};

function Limits({ limits }: { readonly limits: NonNullable<Status['limits']> }) {
  return (
    <section>
      <h2>Limits of the tenant</h2>
      <dl class="status-limits card">
        {Object.entries(limits).map(([name, value]) => (
          <div key={name}>
            <dt class="muted">{limitLabels[name] ?? name}</dt>
            <dd>
              {typeof value !== 'number' ? 'none' : name === 'bytesMax' ? bytesText(value) : countText(value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Card({
  title,
  main,
  children,
}: {
  readonly title: string;
  readonly main: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="status-card card">
      <h2 class="status-card-title">{title}</h2>
      <p class="status-card-main">{main}</p>
      {children}
    </section>
  );
}

/** Asks again while the screen is shown; the error of the last answer, if it was one. */
function useStatus(): unknown {
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const controller = new AbortController();
    const ask = async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        await refreshStatus(controller.signal);
        setError(null);
      } catch (thrown) {
        if (!isAbort(thrown)) setError(thrown);
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), refreshMs);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, []);
  return error;
}
