/**
 * One statement again and again over eight connections that stay: `small-statements.ts http|postgres URL SECONDS FIRST`. Its parameter is another number each time,
 * counted from FIRST, so that no answer is one that was kept. Prints `{ work, seconds, p99Ms }`. Both ways are bytes on sockets: what the process does for an
 * answer is about the same.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { bindValues, parseTyped } from '../../server/test/fuzz/wire/pgwire/pgwire-messages.ts';
import { execute, frame, startup, sync } from '../../server/test/pgwire/raw-client.ts';

const connections = 8;
const int8Oid = 20;
const [way = '', url = '', seconds = '1', first = '1'] = process.argv.slice(2);
const { hostname, port } = new URL(url);

/** What goes out for a number, and whether what has come is its whole answer. */
interface Way {
  readonly begin: readonly Buffer[];
  request(number: number): Buffer;
  isWhole(answer: Buffer): boolean;
}

const ready = Buffer.from('Z\0\0\0\x05I');

const postgres: Way = {
  begin: [startup(), Buffer.concat([parseTyped('select $1', 's', [int8Oid]), sync])],
  request: (number) => {
    const value = Buffer.alloc(8);
    value.writeBigInt64BE(BigInt(number));
    const bind = bindValues({ statement: 's', formats: [1], values: [value], resultFormats: [1] });
    return Buffer.concat([bind, execute(), sync]);
  },
  isWhole: (answer) => answer.subarray(-ready.length).equals(ready),
};

const http: Way = {
  begin: [],
  request: (number) => {
    const body = JSON.stringify({ sql: 'select $1', parameters: [number] });
    return Buffer.from(
      `POST /v1/sql?fmt=json HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  },
  isWhole: (answer) => {
    const text = answer.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    if (head === -1) return false;
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.slice(0, 500));
    const length = /\ncontent-length: (\d+)/i.exec(text)?.[1];
    return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= head + 4 + Number(length);
  },
};

async function answered(socket: Socket, { isWhole }: Way): Promise<Buffer> {
  let answer: Buffer = Buffer.alloc(0);
  do {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
    if (answer.includes('SERROR\0') || answer.includes('SFATAL\0')) throw new Error(answer.toString());
  } while (!isWhole(answer));
  return answer;
}

const chosen = way === 'http' ? http : postgres;
const sockets = await Promise.all(
  Array.from({ length: connections }, async () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    for (const each of chosen.begin) {
      socket.write(each);
      await answered(socket, chosen);
    }
    return socket;
  }),
);
let next = Number(first);
const times: number[] = [];
const began = performance.now();
const until = began + Number(seconds) * 1_000;
await Promise.all(
  sockets.map(async (socket) => {
    while (performance.now() < until) {
      const sentAt = performance.now();
      socket.write(chosen.request(next++));
      await answered(socket, chosen);
      times.push(performance.now() - sentAt);
    }
  }),
);
const took = (performance.now() - began) / 1_000;
for (const socket of sockets) socket.end(way === 'http' ? '' : frame('X'));
times.sort((one, other) => one - other);
console.log(
  JSON.stringify({ work: times.length, seconds: took, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 }),
);
process.exit(0);
