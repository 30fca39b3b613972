/** Many slow HTTP readers in one process: `slow-readers.ts URL NAME COUNT [FORMAT]`. Each takes some bytes ten times a second, for ever. */
import { connect } from 'node:net';

const [url = '', name = '', count = '1', only] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const stepBytes = 16 * 1024;
const stepMs = 100;
/** Passed through as it is stored, and rendered by workers. */
const formats = only === undefined ? ['arrow', 'csv', 'ndjson', 'json'] : [only];
let answered = 0;
let ended = 0;
let taken = 0;

for (let number = 0; number < Number(count); number++) {
  const format = formats[number % formats.length];
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET /v1/frames/${name}/rows?fmt=${format} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  socket.pause();
  socket.once('readable', () => {
    const head = String(socket.read(12));
    if (head === 'HTTP/1.1 200') answered += 1;
    setInterval(() => {
      taken += (socket.read(Math.min(stepBytes, socket.readableLength)) as Buffer | null)?.length ?? 0;
    }, stepMs);
  });
  socket.once('close', () => {
    ended += 1;
  });
  socket.on('error', () => {});
}
setInterval(() => console.log(JSON.stringify({ answered, ended, taken })), 500);
