import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { FrameholdError } from '../../src/model/errors.ts';
import { TsdbClient } from '../../src/upstream/tsdb-client.ts';
import { assertTook } from '../support/machine-pace.ts';
import { eventually, patienceMs } from '../support/patience.ts';
import { TestAuthority } from '../support/test-authority.ts';

const closers: (() => void)[] = [];
after(() => {
  for (const close of closers) close();
});

/** A database that answers with exactly these bytes, or does whatever else a test wants of its socket. */
async function database(answer: (socket: Socket, request: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => answer(socket, data.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Heard {
  status?: number;
  contentType?: string | undefined;
  body: string;
  ended: boolean;
  error?: FrameholdError;
}

function ask(
  url: string,
  rawQuery = 'query=select%201',
  signal = new AbortController().signal,
  timeoutMs = patienceMs,
  authorization: string | null = null,
  begin = () => {},
): Promise<Heard> {
  const client = new TsdbClient({ url, authorization, timeoutMs, connectionsMax: 2, urlBytesMax: 32_209 });
  closers.push(() => void client.close());
  const heard: Heard = { body: '', ended: false };
  return new Promise((resolve) => {
    const cancel = client.exec(rawQuery, {
      begin,
      head: (status, contentType) => Object.assign(heard, { status, contentType }),
      data: (chunk) => {
        heard.body += Buffer.from(chunk).toString();
      },
      end: () => resolve({ ...heard, ended: true }),
      failed: (error) => resolve({ ...heard, error }),
    });
    signal.addEventListener('abort', cancel, { once: true });
  });
}

describe('tsdb client', () => {
  it('passes status, content type and bytes on', async () => {
    const url = await database((socket) =>
      socket.end('HTTP/1.1 418 Odd\r\nContent-Type: text/odd\r\nContent-Length: 2\r\n\r\nhi'),
    );
    const { status, contentType, body, ended } = await ask(url);
    assert.deepEqual(
      { status, contentType, body, ended },
      { status: 418, contentType: 'text/odd', body: 'hi', ended: true },
    );
  });

  it('sends the query string as it is, asks for identity, and sends nothing else of the caller', async () => {
    let request = '';
    const url = await database((socket, text) => {
      request = text;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    await ask(`${url}/base/`, 'query=a%2Bb+c&fmt=json');
    assert.match(request, /^GET \/base\/exec\?query=a%2Bb\+c&fmt=json HTTP\/1\.1\r\n/);
    assert.match(request, /accept-encoding: identity/i);
    assert.doesNotMatch(request, /authorization|cookie|x-forwarded/i);
  });

  it('sends its own credential', async () => {
    let request = '';
    const url = await database((socket, text) => {
      request = text;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    await ask(url, 'query=1', new AbortController().signal, patienceMs, 'Bearer sesame');
    assert.match(request, /\r\nauthorization: Bearer sesame\r\n/i);
  });

  it('sends nothing for a caller that may no longer ask once a connection is free', async () => {
    let requests = 0;
    const url = await database((socket) => {
      requests += 1;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const { error } = await ask(url, 'query=1', new AbortController().signal, patienceMs, null, () => {
      throw new FrameholdError('unauthenticated', 'ended');
    });
    assert.deepEqual([error?.kind, requests], ['unauthenticated', 0]);
  });

  for (const headers of ['Content-Encoding: gzip', 'Content-Encoding: identity\r\nContent-Encoding: br']) {
    it(`answers with ${JSON.stringify(headers)} → tsdb_failed`, async () => {
      const url = await database((socket) =>
        socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\nContent-Length: 2\r\n\r\nhi`),
      );
      const { error, status } = await ask(url);
      assert.deepEqual([error?.kind, status], ['tsdb_failed', undefined]);
    });
  }

  it('somebody else in the place of a database with TLS gets no request, and so no credential', async () => {
    const { cert, key } = new TestAuthority('Not trusted').signServer();
    let received = '';
    const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        received += data.toString();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { error } = await ask(
      `https://127.0.0.1:${port}`,
      'query=1',
      new AbortController().signal,
      5_000,
      'Bearer sesame',
    );
    assert.equal(error?.kind, 'tsdb_failed');
    assert.match((error.cause as NodeJS.ErrnoException).code ?? '', /CERT|SIGNATURE|ISSUER/);
    assert.equal(received, '');
  });

  it('nothing listens → tsdb_failed', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    assert.equal((await ask(`http://127.0.0.1:${port}`)).error?.kind, 'tsdb_failed');
  });

  it('closes before it answers → tsdb_failed', async () => {
    assert.equal((await ask(await database((socket) => socket.end()))).error?.kind, 'tsdb_failed');
  });

  it('resets before it answers → tsdb_failed', async () => {
    assert.equal(
      (await ask(await database((socket) => socket.resetAndDestroy()))).error?.kind,
      'tsdb_failed',
    );
  });

  it('redirects → tsdb_failed, and is not followed', async () => {
    const url = await database((socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
    );
    const { error, status } = await ask(url);
    assert.equal(error?.kind, 'tsdb_failed');
    assert.equal(status, undefined);
  });

  it('never answers → tsdb_timeout', async () => {
    const began = performance.now();
    assert.equal(
      (await ask(await database(() => {}), undefined, undefined, 300)).error?.kind,
      'tsdb_timeout',
    );
    assertTook(performance.now() - began, 2_000);
  });

  it('pauses in mid-body → tsdb_timeout after the head', async () => {
    const url = await database((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal'));
    const { error, status, body } = await ask(url, undefined, undefined, 1_000);
    assert.deepEqual([error?.kind, status, body], ['tsdb_timeout', 200, 'hal']);
  });

  it('breaks off in mid-body → tsdb_failed after the head', async () => {
    const url = await database((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n'),
    );
    const { error, status, body } = await ask(url);
    assert.deepEqual([error?.kind, status, body], ['tsdb_failed', 200, 'hal']);
  });

  it('a caller that goes away ends the forwarded request', async () => {
    let [arrived, closed] = [false, false];
    const url = await database((socket) => {
      arrived = true;
      socket.on('close', () => {
        closed = true;
      });
    });
    const abort = new AbortController();
    void ask(url, 'query=1', abort.signal, 60_000);
    await eventually('the request has arrived', () => arrived);
    abort.abort();
    await eventually('its connection is closed', () => closed);
  });
});
