import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestTime } from '../../base/request-time.ts';
import { traitsOf } from '../route-traits.ts';

const time = Symbol('how this request spends its time');
type Timed = FastifyRequest['raw'] & { [time]?: RequestTime };

export function noteTime({ raw }: FastifyRequest, spent: RequestTime): void {
  (raw as Timed)[time] = spent;
}

/** The head goes out next: it says how the time until now was spent, after what the route says itself. The rest is the time of sending. */
export function beginAnswer(reply: FastifyReply): void {
  const spent = (reply.request.raw as Timed)[time];
  if (spent === undefined) return;
  spent.answers();
  if (!traitsOf(reply.request).saysTime) return;
  const own = reply.getHeader('server-timing');
  const parts = spent.header;
  if (own === undefined) {
    if (parts !== '') reply.header('server-timing', parts);
    return;
  }
  // A statement says itself how long it has waited for its engine.
  const more = parts.split(', ').filter((part) => part !== '' && !part.startsWith('queue;'));
  reply.header('server-timing', [own, ...more].join(', '));
}
