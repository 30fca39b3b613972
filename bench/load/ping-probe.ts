/**
 * Asks two servers at the same times and prints, for each time, how long both took: `ping-probe.ts URL URL EVERY_MS`. One line
 * `[started, first ms, second ms]`, where null means that no answer came in time.
 */
import { Agent, get } from 'node:http';

/** Long enough to distinguish "slow" from "gone". */
const timeoutMs = 10_000;
const [first = '', second = '', everyMs = '20'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxFreeSockets: 2 });

function ask(url: string): Promise<number | null> {
  const began = performance.now();
  return new Promise((resolve) => {
    const request = get(`${url}/ping`, { agent, timeout: timeoutMs }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode === 200 ? performance.now() - began : null));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(null));
  });
}

// The next question does not wait for the last answer: a pause of the server is then seen by every question in it.
setInterval(async () => {
  const began = Date.now();
  const answers = await Promise.all([ask(first), ask(second)]);
  process.stdout.write(`${JSON.stringify([began, ...answers])}\n`);
}, Number(everyMs));
