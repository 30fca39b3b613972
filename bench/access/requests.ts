/** Sends the requests that its parent asks for, as often as it asks, and reports when it is done. A process of its own, so that asking costs the server nothing. */
import { Agent, get } from 'node:http';

export interface Asking {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly count: number;
}

const connections = 8;
const agent = new Agent({ keepAlive: true, maxSockets: connections });

process.on('message', async ({ url, headers, count }: Asking) => {
  let left = count;
  const askOn = async () => {
    while (left-- > 0) await ask(url, headers);
  };
  await Promise.all(Array.from({ length: connections }, askOn));
  process.send?.('done');
});

function ask(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume();
      response.on('end', resolve);
    }).on('error', reject);
  });
}
