import type { AccessGuard, Reason } from '../frames/access-guard.ts';
import type { Caller } from '../frames/caller.ts';
import type { Upstream } from '../frames/ports/upstream.ts';

/**
 * The external database for one caller. What is sent to it may change it, so each statement is on the trail with what became of it. Not with its
 * text: that may have values in it.
 */
export function toldUpstream(
  upstream: Upstream,
  access: AccessGuard,
  caller: Caller,
): Pick<Upstream, 'exec'> {
  return {
    exec(rawQuery, receiver, signal) {
      let isTold = false;
      const tell = (reason: Reason | null) => {
        if (isTold) return;
        isTold = true;
        signal.removeEventListener('abort', onAbort);
        if (reason === null) access.done(caller, 'tsdb.query', null);
        else access.failed(caller, 'tsdb.query', reason);
      };
      const onAbort = () =>
        tell({ kind: 'cancelled', message: 'The caller went away before the answer came.' });
      signal.addEventListener('abort', onAbort, { once: true });
      upstream.exec(
        rawQuery,
        {
          begin() {
            if (!caller.isCurrent()) {
              // The guard logs it as refused: the database never saw it.
              isTold = true;
              signal.removeEventListener('abort', onAbort);
              access.checkCurrent(caller, 'tsdb.query', null);
            }
            receiver.begin();
          },
          head(status, contentType, flow) {
            tell(status < 400 ? null : answeredWith(status));
            receiver.head(status, contentType, flow);
          },
          data: (chunk) => receiver.data(chunk),
          end: () => receiver.end(),
          failed(error) {
            tell(error);
            receiver.failed(error);
          },
        },
        signal,
      );
    },
  };
}

function answeredWith(status: number): Reason {
  return { kind: 'tsdb_failed', message: `The external database answered with the status ${status}.` };
}
