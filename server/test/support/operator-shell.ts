import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { serverCommand } from './framehold-process.ts';
import { partsFolder } from './repository.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

/** For one block of a document: it may start nodes and wait for them. */
const blockTimeoutMs = 300_000;

/** Somebody who types what a document says, block by block, with `framehold` and PostgreSQL's programs on the path. */
export class OperatorShell {
  readonly #home = temporaryFolder('operator');
  readonly #replacements: ReadonlyMap<string, string>;
  readonly #environment: Readonly<Record<string, string>>;
  /** A block may leave servers behind: they are in its process group. */
  readonly #groups: number[] = [];

  /** `replacements`: texts of the document, such as addresses, that are others here. */
  constructor(replacements: ReadonlyMap<string, string>, environment: Readonly<Record<string, string>>) {
    this.#replacements = replacements;
    const commands = join(this.#home, 'bin');
    mkdirSync(commands);
    const command = join(commands, 'framehold');
    writeFileSync(command, `#!/bin/sh\nexec ${serverCommand.map((word) => `'${word}'`).join(' ')} "$@"\n`);
    chmodSync(command, 0o755);
    this.#environment = {
      HOME: this.#home,
      PATH: [commands, join(partsFolder, 'postgres'), process.env.PATH].join(delimiter),
      ...environment,
    };
    process.on('exit', () => this.#endAll());
  }

  /** With the addresses that are used here. */
  translate(text: string): string {
    let translated = text;
    for (const [documented, real] of this.#replacements) translated = translated.replaceAll(documented, real);
    return translated;
  }

  /** What the block prints, with the line ends of a terminal; rejects if it fails. */
  async type(block: string): Promise<string> {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', this.translate(block)], {
      cwd: this.#home,
      env: this.#environment,
      detached: true,
      timeout: blockTimeoutMs,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) this.#groups.push(child.pid);
    let printed = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk));
    // Not 'close': a server that a block leaves behind may hold the pipes.
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    assert.equal(code, 0, `ended with ${code ?? signal}:\n${block}\n${printed}${complaints}`);
    return printed.replaceAll('\r\n', '\n').trimEnd();
  }

  /** Ends every server that was started. */
  async close(): Promise<void> {
    this.#endAll();
    removeFolder(this.#home);
  }

  #endAll(): void {
    for (const group of this.#groups.splice(0))
      try {
        process.kill(-group, 'SIGKILL');
      } catch {
        // All of them have ended.
      }
  }
}
