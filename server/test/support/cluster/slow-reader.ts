import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** A caller that takes the beginning of an answer, and the rest when it is told to. */
export class SlowReader {
  readonly #answer: IncomingMessage;
  readonly #chunks: Buffer[] = [];
  readonly version: string;

  private constructor(answer: IncomingMessage) {
    this.#answer = answer;
    this.version = String(answer.headers['framehold-handle'] ?? '');
  }

  static async begin(url: string, credential: string): Promise<SlowReader> {
    const sent: ClientRequest = request(url, { headers: { authorization: credential }, agent: false });
    sent.end();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve);
      sent.on('error', reject);
    });
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    const reader = new SlowReader(answer);
    await new Promise<void>((resolve, reject) => {
      answer.once('readable', () => {
        const chunk = answer.read(1) as Buffer | null;
        if (chunk) reader.#chunks.push(chunk);
        resolve();
      });
      answer.once('error', reject);
    });
    return reader;
  }

  /** Everything. Rejects if the answer was cut off. */
  async finish(): Promise<Buffer> {
    for await (const chunk of this.#answer) this.#chunks.push(chunk as Buffer);
    if (!this.#answer.complete) throw new Error('the answer was cut off');
    return Buffer.concat(this.#chunks);
  }
}
