import type { FastifyReply } from 'fastify';
import type { FrameholdError } from '../frames/errors.ts';
import type { Upstream, UpstreamFlow, UpstreamReceiver } from '../frames/ports/upstream.ts';
import { collectHeaders } from './collect-headers.ts';

/** Passes the database's answer through: status, content type and bytes as they are. Rejects only before the head has gone out. */
export function proxyAnswer(
  upstream: Pick<Upstream, 'exec'>,
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
        const own = collectHeaders(reply);
        raw.writeHead(status, contentType === undefined ? own : { ...own, 'content-type': contentType });
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
