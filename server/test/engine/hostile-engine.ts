/** An engine process that has been taken over: it answers with what the text of the statement says, against all rules. */
import { Socket } from 'node:net';
import { deserialize } from 'node:v8';
import {
  jsonHead,
  limitsOfServer,
  protocolDescriptor,
  toEngine,
  toServer,
} from '../../src/engine/protocol.ts';
import type { TenantStatement } from '../../src/engine/statement-runner.ts';
import { WireReader, writeMessage } from '../../src/engine/wire.ts';

const socket = new Socket({ fd: protocolDescriptor, readable: true, writable: true });
const shape = {
  kind: 'query',
  target: null,
  tables: [],
  upstreamQueries: [],
  catalog: [],
  parameterCount: 0,
};
const some = new Uint8Array(10);
let attack = '';

function begin(statement: number): void {
  if (attack === 'not json') writeMessage(socket, toServer.begun, statement, some);
  else if (attack === 'not a shape')
    writeMessage(socket, toServer.begun, statement, jsonHead({ kind: 'all' }));
  else if (attack === 'not an error') writeMessage(socket, toServer.failed, statement, jsonHead(null));
  else if (attack === 'foreign error')
    writeMessage(socket, toServer.failed, statement, jsonHead({ kind: 'frame_gone', detail: 'x' }));
  else if (attack === 'huge message') socket.write(new Uint8Array(16).fill(255));
  else if (attack === 'unknown type') writeMessage(socket, 99, statement);
  else if (attack === 'another statement')
    writeMessage(socket, toServer.begun, statement + 1, jsonHead(shape));
  else if (attack === 'closed unasked') writeMessage(socket, toServer.closed, statement);
  else if (attack === 'early batch') writeMessage(socket, toServer.batch, statement, some, [some]);
  else if (attack === 'progress before it runs')
    writeMessage(socket, toServer.progress, statement, jsonHead(0.5));
  else if (attack === 'no place') {
    const place = { position: -1, line: 1, column: 1 };
    writeMessage(socket, toServer.failed, statement, jsonHead({ kind: 'sql_invalid', detail: 'x', place }));
  } else if (attack === 'ready again') writeMessage(socket, toServer.ready, 0);
  else if (attack === 'hung up') socket.destroy();
  else writeMessage(socket, toServer.begun, statement, jsonHead(shape));
}

function run(statement: number): void {
  if (attack === 'flood')
    for (let at = 0; at < 100; at += 1) writeMessage(socket, toServer.batch, statement, some, [some]);
  if (attack === 'more than all') writeMessage(socket, toServer.progress, statement, jsonHead(1.5));
  if (attack === 'short result') {
    writeMessage(socket, toServer.batch, statement, some, [some]);
    writeMessage(socket, toServer.done, statement, jsonHead(2));
  }
  if (attack === 'batch after the end') {
    writeMessage(socket, toServer.done, statement, jsonHead(0));
    writeMessage(socket, toServer.batch, statement, some, [some]);
  }
}

const reader = new WireReader(limitsOfServer, ({ type, statement, head }) => {
  if (type === toEngine.start) writeMessage(socket, toServer.ready, 0);
  if (type === toEngine.begin) {
    attack = (deserialize(head) as TenantStatement).sql;
    begin(statement);
  }
  if (type === toEngine.run) run(statement);
  if (type === toEngine.close) writeMessage(socket, toServer.closed, statement);
});
socket.on('data', (chunk) => reader.push(chunk));
socket.on('close', () => {
  // If it hung up itself, it lives on, and hopes that nobody looks.
  if (attack === 'hung up') setInterval(() => {}, 1_000);
  else process.kill(process.pid, 'SIGKILL');
});
