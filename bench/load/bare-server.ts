/** The smallest HTTP server there is, in a process of its own: what the machine does to it, it does to every server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': 2 }).end('ok');
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
