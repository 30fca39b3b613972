/**
 * How long a probe on a new connection takes while others keep the server busy: `node bench/access/probes.ts [connections]`. On the main port and on the management address, in turns. The
 * generator is a process of its own, pinned to the second core; the statements it sends are rows of a held frame.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';

const connections = Number(process.argv[2] ?? 512);
const probes = 30;
/** After the start of the generator: it has begun to connect. */
const burstMs = 300;
const management = `127.0.0.1:${await freePort()}`;
const framehold = await Framehold.start({
  command: builtCommand,
  flags: ['--management-address', management],
});

const generator = `
const { Agent, get } = require('node:http');
const [url, count] = process.argv.slice(1);
const agent = new Agent({ keepAlive: true, maxSockets: Number(count) });
let answers = 0;
const ask = () => get(url, { agent }, (answer) => { answer.resume(); answer.on('end', () => { answers++; ask(); }); }).on('error', () => setTimeout(ask, 10));
for (let n = 0; n < Number(count); n++) ask();
setInterval(() => { console.log(answers); answers = 0; }, 1000);
`;

function probe(url: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(performance.now() - began));
    })
      .on('error', reject)
      .end();
  });
}

async function probed(url: string): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < probes; n++) times.push(await probe(url));
  times.sort((one, other) => one - other);
  const at = (share: number) => `${(times[Math.floor(share * (probes - 1))] ?? 0).toFixed(0)} ms`;
  return `median ${at(0.5)}, most ${at(1)}`;
}

try {
  await fetch(`${framehold.url}/v1/frames/busy`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'n,text\n1,a\n2,b\n',
  });
  const url = `${framehold.url}/v1/frames/busy/rows?fmt=json`;
  const child = spawn('taskset', ['-c', '1', process.execPath, '-e', generator, url, String(connections)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let rate = '';
    child.stdout.on('data', (chunk: Buffer) => {
      rate = chunk.toString().trim().split('\n').at(-1) ?? '';
    });
    // The generator's connections wait to be accepted, one in a turn of the server's loop, and so does a probe behind them.
    await setTimeout(burstMs);
    const [onMain, onManagement] = await Promise.all([
      probe(`${framehold.url}/ping`),
      probe(`http://${management}/ping`),
    ]);
    console.log(
      `while ${connections} connections are opened: /ping on the main port ${onMain.toFixed(0)} ms, on the management address ${onManagement.toFixed(0)} ms`,
    );
    for (let second = 0; second < 3; second++) await once(child.stdout, 'data');
    for (const round of [1, 2]) {
      console.log(`round ${round}, ${connections} connections, ${rate} answers in a second`);
      console.log(`  /ping on the main port: ${await probed(`${framehold.url}/ping`)}`);
      console.log(`  /ping on the management address: ${await probed(`http://${management}/ping`)}`);
      console.log(`  /readyz on the management address: ${await probed(`http://${management}/readyz`)}`);
    }
  } finally {
    child.kill();
  }
} finally {
  await framehold.remove();
}
