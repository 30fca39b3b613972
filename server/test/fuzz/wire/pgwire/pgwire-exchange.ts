import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Outcome } from '../wire-run.ts';
import { hangMs } from '../wire-watch.ts';
import type { PgwireCase } from './pgwire-cases.ts';
import { cancelPacket } from './pgwire-messages.ts';
import { ServerStream } from './server-stream.ts';

/** A case that a changed statement makes long ends by itself after this many times `hangMs`: its rows were arriving all the time. */
const longTimes = 3;
/** So long after the last byte a client leaves that has not said so. */
const quietMs = Math.min(250, hangMs / 100);

/** Sends a case on a connection of its own. The server must end the connection: it was asked to, or its client has gone. */
export async function exchangePgwire(port: number, sent: PgwireCase): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const stream = new ServerStream();
  const closed = Promise.withResolvers<void>();
  let answer = Promise.withResolvers<void>();
  let isClosed = false;
  let lastAt = performance.now();
  socket.on('data', (chunk) => {
    lastAt = performance.now();
    stream.push(chunk);
    answer.resolve();
    const { key } = stream;
    if (key !== null && sent.cancel !== null && !isCancelled) {
      isCancelled = true;
      cancel(port, sent.cancel(key));
    }
  });
  let isCancelled = false;
  // A reset is a way to end a connection; what matters is that it ends.
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    isClosed = true;
    answer.resolve();
    closed.resolve();
  });
  try {
    const last = sent.parts.at(-1) ?? Buffer.alloc(0);
    for (const part of sent.parts.slice(0, -1)) {
      answer = Promise.withResolvers();
      socket.write(part);
      await within(answer.promise, hangMs);
    }
    const step = Math.max(1, Math.ceil(last.length / sent.pieces));
    for (let at = 0; at < last.length && !isClosed; at += step) {
      socket.write(last.subarray(at, at + step));
      if (sent.pieces > 1) await nextTurn();
    }
    if (sent.ending !== 'terminate') {
      // Nobody can say how many answers come. A server that learns of the end says nothing more.
      lastAt = performance.now();
      const quietAt = () => lastAt + quietMs - performance.now();
      const endBy = performance.now() + hangMs;
      while (!isClosed && quietAt() > 0 && performance.now() < endBy) await within(closed.promise, quietAt());
    }
    if (sent.ending === 'reset') socket.resetAndDestroy();
    else if (sent.ending === 'end') socket.end();
    const began = performance.now();
    lastAt = began;
    while (!isClosed && performance.now() - lastAt < hangMs && performance.now() - began < longTimes * hangMs)
      await within(closed.promise, Math.max(10, lastAt + hangMs - performance.now()));
    const isLate = !isClosed && performance.now() - lastAt >= hangMs;
    const hang = isLate ? `still open ${hangMs} ms after the last byte` : null;
    const fault = hang ?? stream.fault;
    return {
      kinds: isClosed ? stream.kinds : [...stream.kinds, 'long'],
      fault,
      late: isLate,
      shown: fault === null ? '' : shown(sent, stream),
    };
  } finally {
    socket.destroy();
  }
}

/** On a connection of its own, whose answer is its end. */
function cancel(port: number, key: Buffer): void {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.end(cancelPacket(key));
  socket.resume();
}

async function within(promise: Promise<void>, timeMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, timeMs));
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

function shown({ parts, name, ending }: PgwireCase, stream: ServerStream): string {
  return `${name}, ${ending}: sent ${JSON.stringify(Buffer.concat(parts).toString('latin1').slice(0, 1_500))}\n  came ${JSON.stringify(stream.text)}`;
}
