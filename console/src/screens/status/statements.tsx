import type { RunningQuery } from '@framehold/client';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { onLive } from '../../server/live.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote, errorText, isAbort } from '../../ui/error-note.tsx';
import { countText, durationText } from '../../ui/format.ts';
import { toast } from '../../ui/toast.tsx';

/** While something runs, so that progress and time move. */
const busyMs = 1_000;
/** Otherwise events say when something begins; without them, this does. */
const idleMs = 10_000;

/** The statements that wait or run. */
export function Statements() {
  const [queries, setQueries] = useState<readonly RunningQuery[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    const ask = async () => {
      if (isAsking) return;
      isAsking = true;
      clearTimeout(timer);
      let waitMs = idleMs;
      try {
        const answer = await api.queries.list({ signal: controller.signal });
        if (answer.length > 0) waitMs = busyMs;
        setQueries(answer);
        setError(null);
      } catch (thrown) {
        if (!isAbort(thrown)) setError(thrown);
      }
      isAsking = false;
      if (!controller.signal.aborted) timer = setTimeout(() => void ask(), waitMs);
    };
    void ask();
    const stop = onLive((event) => {
      if (event.kind.startsWith('statement.')) void ask();
    });
    return () => {
      stop();
      clearTimeout(timer);
      controller.abort();
    };
  }, []);
  return (
    <section>
      <h2>Statements</h2>
      {error !== null && <ErrorNote error={error} />}
      {queries !== null && queries.length === 0 && <p class="muted">No statement waits or runs.</p>}
      {queries !== null && queries.length > 0 && (
        <div class="status-scroll card">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Statement</th>
                <th scope="col">State</th>
                <th scope="col" class="numeric">
                  Time
                </th>
                <th scope="col" class="numeric">
                  Rows
                </th>
                <th scope="col">
                  <span class="unseen">Cancel</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {queries.map((query) => (
                <Statement key={`${query.tenant} ${query.id}`} query={query} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Statement({ query }: { readonly query: RunningQuery }) {
  const { id, state, progress, rows } = query;
  const elapsedMs = query.elapsedMs ?? Math.max(0, Date.now() - Date.parse(query.startedAt));
  return (
    <tr>
      <td class="status-query">
        {query.query === undefined ? (
          <span class="muted">
            {query.tenant} · <span class="mono">{id}</span>
          </span>
        ) : (
          <code title={query.query}>{query.query}</code>
        )}
      </td>
      <td>
        {typeof progress === 'number' ? (
          <progress max={1} value={progress} aria-label="Progress" />
        ) : (
          <span class="badge badge-accent">{state}</span>
        )}
      </td>
      <td class="numeric">{durationText(elapsedMs)}</td>
      <td class="numeric">{rows === undefined ? '' : countText(rows)}</td>
      <td class="numeric">
        <Button onClick={() => void cancel(query)}>Cancel</Button>
      </td>
    </tr>
  );
}

async function cancel({ id, tenant, query }: RunningQuery): Promise<void> {
  try {
    // Only an operator sees statements without their text, and may have to say whose it is.
    await api.queries.cancel(id, query === undefined ? { tenant } : {});
    toast({ kind: 'ok', text: 'The statement was stopped.' });
  } catch (error) {
    const { text, hint } = errorText(error);
    toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
  }
}
