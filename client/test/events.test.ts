import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { Framehold, type FrameholdEvent } from '../src/index.ts';
import { LocalServer, problem } from './local-server.ts';

function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return response;
}

function created(id: number): string {
  return `id: ${id}\nevent: frame.created\ndata: {"name":"f${id}","version":1,"at":"2024-02-29T00:00:00.000Z"}\n\n`;
}

async function take(events: AsyncIterable<FrameholdEvent>, count: number): Promise<FrameholdEvent[]> {
  const taken: FrameholdEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

describe('events', () => {
  it('go on after the last one over a broken connection', async () => {
    const asked: (string | undefined)[] = [];
    await using server = await LocalServer.start((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      begin(response);
      if (asked.length === 1) {
        response.write('event: hello\nid: 4\ndata: {"last":4}\n\n');
        // The second half of an event that never comes whole.
        response.write(`${created(5)}${created(6).slice(0, 20)}`, () => response.destroy());
      } else response.write(created(6) + created(7));
    });
    const events = await take(new Framehold({ url: server.url }).events(), 7);
    assert.deepEqual(
      events.map((event) => ('name' in event ? event.name : event.kind)),
      ['connected', 'hello', 'f5', 'disconnected', 'connected', 'f6', 'f7'],
    );
    assert.deepEqual(asked, [undefined, '5']);
  });

  it('begin after a given one, and say if some were missed', async () => {
    await using server = await LocalServer.start((request, response) => {
      assert.equal(request.headers['last-event-id'], '3');
      begin(response).write('event: reset\nid: 90\ndata: {"last":90}\n\n');
    });
    const events = await take(new Framehold({ url: server.url }).events({ after: '3' }), 2);
    assert.deepEqual(events[1], { kind: 'reset', id: '90', last: 90 });
  });

  it('wait longer after each failure, and end with an error that waiting does not solve', async () => {
    let asked = 0;
    await using server = await LocalServer.start((_request, response) => {
      asked++;
      if (asked < 3) response.destroy();
      else response.writeHead(401).end(problem(401, 'unauthenticated'));
    });
    const waits: number[] = [];
    const read = async () => {
      for await (const event of new Framehold({ url: server.url }).events())
        if (event.kind === 'disconnected') waits.push(event.retryInMs);
    };
    await assert.rejects(read(), { code: 'unauthenticated' });
    assert.equal(waits.length, 2);
    const [first = 0, second = 0] = waits;
    assert.ok(first >= 250 && first <= 500 && second >= 500 && second <= 1_000, String(waits));
  });

  it('end with their signal, while connected and while waiting', async () => {
    await using server = await LocalServer.start(
      (_request, response) => void begin(response).write(': \n\n'),
    );
    const controller = new AbortController();
    const read = async () => {
      for await (const event of new Framehold({ url: server.url }).events({ signal: controller.signal }))
        if (event.kind === 'connected') setImmediate(() => controller.abort(new Error('enough')));
    };
    await assert.rejects(read(), { message: 'enough' });
  });

  it('close the connection when the loop is left', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await LocalServer.start((_request, response) => {
      response.on('close', closed.resolve);
      begin(response).write(created(1));
    });
    await take(new Framehold({ url: server.url }).events(), 2);
    await closed.promise;
  });
});
