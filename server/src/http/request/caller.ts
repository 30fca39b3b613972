import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { serveTenant } from '../../base/request-time.ts';
import { type Caller, unidentifiedCaller } from '../../model/caller.ts';
import { onCut } from './cut-request.ts';

const callerKey = Symbol('who is calling');

type Visited = IncomingMessage & { [callerKey]?: Caller };

export function setCaller(request: FastifyRequest, caller: Caller): void {
  (request.raw as Visited)[callerKey] = caller;
  serveTenant(caller.tenant);
}

/** Unidentified, if no credential was checked: such requests are refused, or need no caller. */
export function callerOf(request: FastifyRequest): Caller {
  return (request.raw as Visited)[callerKey] ?? unidentifiedCaller;
}

/** Aborts when the caller goes away before the answer is complete, or when the server waits no longer. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  const { raw } = reply;
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort(new DOMException('The caller disconnected.', 'AbortError'));
  });
  onCut(raw, (reason) => abort.abort(reason));
  return abort.signal;
}
