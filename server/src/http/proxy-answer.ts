import type { FastifyReply } from 'fastify';
import type { FrameholdError } from '../frames/errors.ts';
import type { Upstream, UpstreamFlow, UpstreamReceiver } from '../frames/ports/upstream.ts';

/** Passes the database's answer through: status, content type and bytes as they are. Rejects only before the head has gone out. */
export function proxyAnswer(
  upstream: Upstream,
  rawQuery: string,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const { raw } = reply;
    let flow: UpstreamFlow | null = null;
    const onDrain = () => flow?.resume();
    raw.once('close', resolve);
    const receiver: UpstreamReceiver = {
      head(status, contentType, upstreamFlow) {
        flow = upstreamFlow;
        reply.hijack();
        raw.on('drain', onDrain);
        const requestId = String(reply.getHeader('x-request-id'));
        raw.writeHead(
          status,
          contentType === undefined
            ? { 'x-request-id': requestId }
            : { 'content-type': contentType, 'x-request-id': requestId },
        );
      },
      data(chunk) {
        if (!raw.write(chunk)) flow?.pause();
      },
      end() {
        raw.end();
        resolve();
      },
      failed(error: FrameholdError) {
        if (flow === null) {
          raw.off('close', resolve);
          reject(error);
          return;
        }
        // Without the last chunk the caller's client sees that the body was cut.
        raw.destroy(error);
        resolve();
      },
    };
    upstream.exec(rawQuery, receiver, signal);
  });
}
