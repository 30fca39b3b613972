import type { AccessGuard } from '../access/access-guard.ts';
import type { Audit, Reason } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import type { TenantPlaces } from '../limits/tenant-places.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { ProxyReceiver, UpstreamProxy } from './upstream-proxy.ts';
import { tsdbNotConfigured } from './upstream-refusals.ts';

export interface ProxyServiceDependencies {
  /** null: no external database is configured. */
  readonly upstream: Pick<Upstream, 'exec'> | null;
  readonly access: AccessGuard;
  readonly audit: Audit;
  /** Shared with SQL. The limit of the server is the queue for connections to the database. */
  readonly places: TenantPlaces;
}

/**
 * What is forwarded may change the external database, so each query is in the audit log with its outcome. Its text is not: it may contain
 * values.
 */
export class ProxyService implements UpstreamProxy {
  readonly #dependencies: ProxyServiceDependencies;

  constructor(dependencies: ProxyServiceDependencies) {
    this.#dependencies = dependencies;
  }

  async forward(
    caller: Caller,
    rawQuery: string,
    receiver: ProxyReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    const { upstream, access, audit, places } = this.#dependencies;
    access.check(caller, 'tsdb.query');
    if (upstream === null) throw tsdbNotConfigured();
    const leave = audit.attemptNow(caller, 'tsdb.query', null, () => places.enter(caller.tenant));
    try {
      // The caller has left before anything was sent.
      if (!signal.aborted) await this.#exchange(upstream, caller, rawQuery, receiver, signal);
    } finally {
      leave();
    }
  }

  #exchange(
    upstream: Pick<Upstream, 'exec'>,
    caller: Caller,
    rawQuery: string,
    receiver: ProxyReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    const { access } = this.#dependencies;
    const log = this.#outcomeLog(caller);
    return new Promise<void>((resolve, reject) => {
      let hasHead = false;
      const onAbort = () => {
        log({ kind: 'cancelled', message: 'The caller went away before the answer came.' });
        resolve();
      };
      const ended = () => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort, { once: true });
      upstream.exec(
        rawQuery,
        {
          // The query may have waited for a connection.
          begin: () => access.checkCurrent(caller, 'tsdb.query', null),
          head(status, contentType, flow) {
            hasHead = true;
            log(status < 400 ? null : answeredWith(status));
            receiver.head(status, contentType, flow);
          },
          data: (chunk) => receiver.data(chunk),
          end() {
            ended();
            receiver.end();
            resolve();
          },
          failed(error) {
            ended();
            // If the credential has ended, it was refused and logged as such: the database never saw it.
            if (error.kind !== 'unauthenticated') log(error);
            if (!hasHead) return reject(error);
            receiver.cut(error);
            resolve();
          },
        },
        signal,
      );
    });
  }

  /** Logs the first outcome, and no other. */
  #outcomeLog(caller: Caller): (reason: Reason | null) => void {
    const { audit } = this.#dependencies;
    let isLogged = false;
    return (reason) => {
      if (isLogged) return;
      isLogged = true;
      if (reason === null) audit.done(caller, 'tsdb.query', null);
      else audit.failed(caller, 'tsdb.query', reason);
    };
  }
}

function answeredWith(status: number): Reason {
  return { kind: 'tsdb_failed', message: `The external database answered with the status ${status}.` };
}
