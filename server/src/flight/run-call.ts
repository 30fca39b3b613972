import { RequestTime } from '../base/request-time.ts';
import { type Caller, callerLine, unidentifiedCaller } from '../model/caller.ts';
import { asFrameholdError, FrameholdError } from '../model/errors.ts';
import { randomId } from '../model/handle.ts';
import type { Authenticator, ClientCertificate } from '../ports/authenticator.ts';
import type { Observe } from '../ports/observation.ts';
import type { Call, Chunks, Incoming, Outgoing } from './call.ts';
import type { GrpcMessage } from './grpc-message.ts';
import type { Method } from './method.ts';
import { type CallStatus, errorStatus, okStatus } from './status.ts';

/** What a transport hands over when a call begins. */
export interface TransportCall {
  readonly incoming: Incoming<Chunks>;
  readonly outgoing: Outgoing<GrpcMessage>;
  readonly signal: AbortSignal;
  readonly remote: string;
  /** Bytes of messages so far, both ways. */
  readonly bytes: number;
  /** Of the connection; null if it has none that was verified. */
  readonly certificate: ClientCertificate | null;
  header(name: string): string | undefined;
  answerHeader(name: string, value: string): void;
  confirmEnd(): Promise<void>;
}

export interface CallDependencies {
  readonly observe: Observe;
  readonly authenticator: Authenticator;
  /** A call of this peer was let in. */
  readonly onEntered: (peer: string) => void;
}

/** Runs a call from its first byte to its status: who calls, the verb, the error's answer, what is reported. Never rejects. */
export async function runCall(
  method: Method,
  transport: TransportCall,
  { observe, authenticator, onEntered }: CallDependencies,
): Promise<CallStatus> {
  const time = new RequestTime();
  const requestId = randomId();
  let caller: Caller = unidentifiedCaller;
  const call: Call = {
    requestId,
    get caller() {
      return caller;
    },
    signal: transport.signal,
    header: (name) => transport.header(name),
    answerHeader: (name, value) => transport.answerHeader(name, value),
    confirmEnd: () => transport.confirmEnd(),
  };
  let status: CallStatus;
  try {
    transport.signal.throwIfAborted();
    if (method.isOpen !== true) {
      caller = await time.run(() => identify(authenticator, transport, requestId));
      time.tenant = caller.tenant;
      onEntered(transport.remote);
    }
    const outgoing = answering(transport.outgoing, time);
    await time.run(() => method.serve(transport.incoming, outgoing, call));
    status = okStatus(requestId);
  } catch (thrown) {
    const error = reasonOf(thrown, transport.signal);
    status = errorStatus(error, requestId);
    observe({
      event: 'request-failed',
      requestId,
      kind: error.kind,
      detail: error.message,
      cause: error.cause,
    });
  }
  observe({
    event: 'flight-call',
    requestId,
    method: method.path,
    status: status.code,
    durationMs: time.durationMs,
    ...time.line,
    bytes: transport.bytes,
    ...callerLine(caller),
    remote: transport.remote,
  });
  return status;
}

/** Whatever is sent is part of the answer. */
function answering(outgoing: Outgoing<GrpcMessage>, time: RequestTime): Outgoing<GrpcMessage> {
  return {
    send: (message) => {
      time.answers();
      return outgoing.send(message);
    },
    sendCut: (message, at) => {
      time.answers();
      return outgoing.sendCut(message, at);
    },
    sendPieces: (head, body) => {
      time.answers();
      return outgoing.sendPieces(head, body);
    },
  };
}

function identify(
  authenticator: Authenticator,
  transport: TransportCall,
  requestId: string,
): Caller | Promise<Caller> {
  return authenticator.authenticate(
    {
      authorization: transport.header('authorization'),
      link: undefined,
      certificate: transport.certificate,
    },
    { remote: transport.remote, requestId },
  );
}

/** An error caused by the end of the call is reported as the reason for that end. */
function reasonOf(thrown: unknown, signal: AbortSignal): FrameholdError {
  if (signal.aborted && signal.reason instanceof FrameholdError) return signal.reason;
  return asFrameholdError(thrown);
}
