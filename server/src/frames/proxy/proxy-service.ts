import { startWaiting } from '../../base/request-time.ts';
import type { Caller } from '../../model/caller.ts';
import type { FrameholdError } from '../../model/errors.ts';
import type { TenantSlots } from '../../model/limits/tenant-slots.ts';
import { tsdbNotConfigured } from '../../model/upstream-refusals.ts';
import type { Upstream, UpstreamFlow, UpstreamReceiver } from '../../ports/upstream.ts';
import type { AccessGuard } from '../access/access-guard.ts';
import type { Audit, Reason } from '../access/audit.ts';
import type { ProxyReceiver, UpstreamProxy } from './upstream-proxy.ts';

export interface ProxyServiceDependencies {
  /** null: no external database is configured. */
  readonly upstream: Pick<Upstream, 'exec'> | null;
  readonly access: AccessGuard;
  readonly audit: Audit;
  /** Shared with SQL. The limit of the server is the queue for connections to the database. */
  readonly slots: TenantSlots;
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

  forward(caller: Caller, rawQuery: string, receiver: ProxyReceiver): () => void {
    const { upstream, access, audit, slots } = this.#dependencies;
    access.check(caller, 'tsdb.query');
    if (upstream === null) throw tsdbNotConfigured();
    const leave = audit.attemptNow(caller, 'tsdb.query', null, () => slots.enter(caller.tenant));
    if (receiver.hasLeft) {
      leave();
      return () => {};
    }
    const query = new ForwardedQuery(caller, receiver, this.#dependencies, leave);
    const cancel = upstream.exec(rawQuery, query);
    return () => {
      cancel();
      query.left();
    };
  }
}

/** One query on its way. */
class ForwardedQuery implements UpstreamReceiver {
  readonly #caller: Caller;
  readonly #receiver: ProxyReceiver;
  readonly #dependencies: ProxyServiceDependencies;
  readonly #leave: () => void;
  readonly #hasConnection = startWaiting('queue');
  readonly #isAnswered = startWaiting('engine');
  #isLogged = false;

  constructor(
    caller: Caller,
    receiver: ProxyReceiver,
    dependencies: ProxyServiceDependencies,
    leave: () => void,
  ) {
    this.#caller = caller;
    this.#receiver = receiver;
    this.#dependencies = dependencies;
    this.#leave = leave;
  }

  /** The query may have waited for a connection. */
  begin(): void {
    this.#hasConnection();
    this.#dependencies.access.checkCurrent(this.#caller, 'tsdb.query', null);
  }

  head(status: number, contentType: string | undefined, flow: UpstreamFlow): void {
    this.#isAnswered();
    this.#log(status < 400 ? null : answeredWith(status));
    this.#receiver.head(status, contentType, flow);
  }

  data(chunk: Uint8Array): void {
    this.#receiver.data(chunk);
  }

  end(): void {
    this.#leave();
    this.#receiver.end();
  }

  failed(error: FrameholdError): void {
    this.#leave();
    // If the credential has ended, it was refused and logged as such: the database never saw it.
    if (error.kind !== 'unauthenticated') this.#log(error);
    this.#receiver.failed(error);
  }

  left(): void {
    this.#leave();
    this.#log({ kind: 'cancelled', message: 'The caller disconnected before the answer came.' });
  }

  /** Logs the first outcome, and no other. */
  #log(reason: Reason | null): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    const { audit } = this.#dependencies;
    if (reason === null) audit.done(this.#caller, 'tsdb.query', null);
    else audit.failed(this.#caller, 'tsdb.query', reason);
  }
}

function answeredWith(status: number): Reason {
  return { kind: 'tsdb_failed', message: `The external database answered with the status ${status}.` };
}
