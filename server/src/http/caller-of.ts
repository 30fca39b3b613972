import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type Caller, unidentifiedCaller } from '../frames/caller.ts';

const callerKey = Symbol('who is calling');

type Visited = IncomingMessage & { [callerKey]?: Caller };

export function setCaller(request: FastifyRequest, caller: Caller): void {
  (request.raw as Visited)[callerKey] = caller;
}

/** Nobody if the caller was not identified: such requests are refused, or need no caller. */
export function callerOf(request: FastifyRequest): Caller {
  return (request.raw as Visited)[callerKey] ?? unidentifiedCaller;
}
