import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../model/errors.ts';
import { UnderWay } from '../sockets/under-way.ts';
import { cutRequest } from './request/cut-request.ts';
import { traitsOf } from './route-traits.ts';

/** For the answers of requests that were cut: their work notices at its next step. */
const answerMs = 2_000;

/**
 * The requests under way, and whether more are taken. A server that stops first ends kept connections with their next answer, so that clients connect to another
 * node; later it refuses requests and waits for those under way.
 */
export class OpenRequests {
  readonly #open = new UnderWay<ServerResponse>();
  #isLeaving = false;
  #isRefusing = false;

  /** Counts a request until its answer has ended, or returns why it is refused. Probes are always answered, and never waited for. */
  add(request: FastifyRequest, { raw }: FastifyReply): FrameholdError | undefined {
    if (this.#isLeaving) raw.shouldKeepAlive = false;
    if (traitsOf(request).isProbe) return undefined;
    // Not counted: callers who ask again and again would hold up the end.
    if (this.#isRefusing) return new FrameholdError('draining', 'The server is stopping.');
    this.#open.add(raw);
    raw.once('close', () => this.#open.ended(raw));
    return undefined;
  }

  /** Answers end their connections from now on. Closing one that is idle instead could meet a request that is on its way. */
  leave(): void {
    this.#isLeaving = true;
    for (const raw of this.#open) if (!raw.headersSent) raw.shouldKeepAlive = false;
  }

  /**
   * Refuses requests from now on, and lets those under way end. Those that have not after this time are cut: callers that have no answer yet are told why, in the
   * next seconds, and the answers of others break off. Resolves with how many are still open then.
   */
  async drain(timeMs: number): Promise<number> {
    this.leave();
    this.#isRefusing = true;
    await this.#open.idleWithin(timeMs);
    const reason = new FrameholdError(
      'draining',
      'The server is stopping and cannot wait longer for this request.',
    );
    for (const raw of this.#open) cutRequest(raw, reason);
    await this.#open.idleWithin(answerMs);
    return this.#open.size;
  }
}
