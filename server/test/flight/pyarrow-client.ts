import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { patienceMs } from '../support/patience.ts';
import { pythonCommand } from '../support/python.ts';

/** Runs one JSON request a line; `answer` is what the code leaves in it. Errors of Flight come back as data. */
const driver = `
import json, sys, time, threading
import pyarrow as pa
import pyarrow.flight as fl
state = {}
def table(rows=3):
    return pa.table({'a': pa.array(range(rows), pa.int64()), 's': pa.array(['row %d' % n for n in range(rows)])})
def path(*names):
    return fl.FlightDescriptor.for_path(*names)
def put(client, descriptor, data, chunk=None):
    writer, reader = client.do_put(descriptor, data.schema)
    writer.write_table(data, max_chunksize=chunk) if chunk else writer.write_table(data)
    writer.done_writing()
    result = reader.read()
    writer.close()
    return json.loads(result.to_pybytes())
for line in sys.stdin:
    request = json.loads(line)
    scope = {**globals(), 'input': request['input'], 'answer': None}
    started = time.monotonic()
    try:
        exec(request['code'], scope)
        reply = {'answer': scope['answer']}
    except Exception as error:
        reply = {'error': type(error).__name__, 'message': str(error)}
    reply['seconds'] = time.monotonic() - started
    print(json.dumps(reply, default=str), flush=True)
`;

export interface Reply {
  readonly answer?: unknown;
  readonly error?: string;
  readonly message?: string;
  readonly seconds: number;
}

/** A pyarrow that stays, so that each test pays for its import once. */
export class PyArrowClient {
  readonly #process: ChildProcessWithoutNullStreams = spawn(pythonCommand, ['-u', '-c', driver]);
  readonly #waiting: ((reply: Reply) => void)[] = [];
  #stderr = '';
  #ended: Reply | null = null;

  constructor() {
    createInterface({ input: this.#process.stdout }).on('line', (line) =>
      this.#waiting.shift()?.(JSON.parse(line) as Reply),
    );
    this.#process.stderr.on('data', (text: Buffer) => {
      this.#stderr = (this.#stderr + text.toString()).slice(-4_000);
    });
    this.#process.on('close', (code) => {
      this.#ended = { error: 'ended', message: `python ended with ${code}: ${this.#stderr}`, seconds: 0 };
      for (const transcode of this.#waiting.splice(0)) transcode(this.#ended);
    });
  }

  /** What the code did, an error included. */
  async tryRun(code: string, input: unknown = null): Promise<Reply> {
    if (this.#ended !== null) return this.#ended;
    // A call that is never answered fails this test; else all tests of the file would end with it.
    const timer = setTimeout(() => this.kill(), patienceMs);
    try {
      return await new Promise((resolve) => {
        this.#waiting.push(resolve);
        this.#process.stdin.write(`${JSON.stringify({ code, input })}\n`);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the code left in `answer`. */
  async run(code: string, input: unknown = null): Promise<unknown> {
    const reply = await this.tryRun(code, input);
    if (reply.error !== undefined) throw new Error(`${reply.error}: ${reply.message}`);
    return reply.answer;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
