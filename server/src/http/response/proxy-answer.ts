import type { FastifyReply } from 'fastify';

import type { UpstreamFlow } from '../../frames/ports/upstream.ts';
import type { ProxyReceiver } from '../../frames/proxy/upstream-proxy.ts';
import { collectHeaders } from './send-stream.ts';

/**
 * Passes the database's answer through: status, content type and bytes as they are. A caller who reads nothing of it for `idleMs` loses the
 * connection, and the database's is free for others. Rejects only before the head has gone out.
 */
export async function proxyAnswer(
  forward: (receiver: ProxyReceiver, signal: AbortSignal) => Promise<void>,
  reply: FastifyReply,
  idleMs: number,
): Promise<void> {
  const { raw } = reply;
  const left = new AbortController();
  let flow: UpstreamFlow | null = null;
  let untaken: NodeJS.Timeout | undefined;
  const taken = () => {
    clearTimeout(untaken);
    untaken = undefined;
  };
  const onClose = () => left.abort();
  // If the caller has left already, there will be no event.
  if (raw.destroyed) left.abort();
  else raw.once('close', onClose);
  const receiver: ProxyReceiver = {
    head(status, contentType, upstreamFlow) {
      flow = upstreamFlow;
      reply.hijack();
      raw.on('drain', () => {
        taken();
        upstreamFlow.resume();
      });
      const own = collectHeaders(reply);
      raw.writeHead(status, contentType === undefined ? own : { ...own, 'content-type': contentType });
    },
    data(chunk) {
      if (raw.write(chunk)) return;
      flow?.pause();
      untaken ??= setTimeout(() => raw.destroy(), idleMs);
    },
    end: () => raw.end(),
    // Without the last chunk the caller's client sees that the body was cut.
    cut: (error) => raw.destroy(error),
  };
  try {
    await forward(receiver, left.signal);
  } finally {
    taken();
    raw.off('close', onClose);
  }
}
