import type { FastifyReply } from 'fastify';
import type { FrameholdError } from '../../frames/errors.ts';
import type { Upstream, UpstreamFlow, UpstreamReceiver } from '../../frames/ports/upstream.ts';
import { collectHeaders } from './send-stream.ts';

/**
 * Passes the database's answer through: status, content type and bytes as they are. A caller who takes nothing of it for `idleMs` loses the
 * connection, and the database's is free for others. Rejects only before the head has gone out.
 */
export function proxyAnswer(
  upstream: Pick<Upstream, 'exec'>,
  rawQuery: string,
  reply: FastifyReply,
  idleMs: number,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const { raw } = reply;
    const left = new AbortController();
    let flow: UpstreamFlow | null = null;
    let untaken: NodeJS.Timeout | null = null;
    const taken = () => {
      if (untaken !== null) clearTimeout(untaken);
      untaken = null;
    };
    const onClose = () => {
      taken();
      left.abort();
      resolve();
    };
    const onDrain = () => {
      taken();
      flow?.resume();
    };
    // The caller left before anyone listened: the end would never be told.
    if (raw.destroyed) {
      resolve();
      return;
    }
    raw.once('close', onClose);
    const receiver: UpstreamReceiver = {
      begin() {},
      head(status, contentType, upstreamFlow) {
        flow = upstreamFlow;
        reply.hijack();
        raw.on('drain', onDrain);
        const own = collectHeaders(reply);
        raw.writeHead(status, contentType === undefined ? own : { ...own, 'content-type': contentType });
      },
      data(chunk) {
        if (raw.write(chunk)) return;
        flow?.pause();
        untaken ??= setTimeout(() => raw.destroy(), idleMs);
      },
      end() {
        taken();
        raw.end();
        resolve();
      },
      failed(error: FrameholdError) {
        taken();
        if (flow === null) {
          raw.off('close', onClose);
          reject(error);
          return;
        }
        // Without the last chunk the caller's client sees that the body was cut.
        raw.destroy(error);
        resolve();
      },
    };
    upstream.exec(rawQuery, receiver, left.signal);
  });
}
