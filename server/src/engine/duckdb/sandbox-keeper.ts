import { Sandbox, type SandboxOptions } from './sandbox.ts';

/**
 * The instances of a process between statements: at most one that is locked, which has run statements of one tenant and runs no others, and one
 * that is nobody's yet, made ahead for a statement that cannot have the first one.
 */
export class SandboxKeeper {
  #kept: { readonly key: string; readonly tenant: string; readonly sandbox: Sandbox } | null = null;
  #spare: { readonly key: string; readonly sandbox: Sandbox } | null = null;
  /** With statements that will give them back or close them. */
  #lent = 0;
  /** A statement has needed a new one although one was kept: the next may, too. */
  #isMissed = false;

  /** The one that this tenant's last statement had, or a new one. An instance of another tenant is closed. */
  take(options: SandboxOptions, tenant: string): Promise<Sandbox> {
    const kept = this.#kept;
    this.#kept = null;
    if (kept?.tenant === tenant && kept.key === keyOf(options)) {
      this.#lent += 1;
      return Promise.resolve(kept.sandbox);
    }
    if (kept !== null) {
      kept.sandbox.close();
      this.#isMissed = true;
    }
    return this.#takeNew(options);
  }

  /** For what is the same in all of them, and leaves nothing. */
  async withAny<Result>(
    options: SandboxOptions,
    work: (sandbox: Sandbox) => Promise<Result>,
  ): Promise<Result> {
    if (this.#kept?.key === keyOf(options)) return work(this.#kept.sandbox);
    const sandbox = await this.#takeNew(options);
    try {
      return await work(sandbox);
    } finally {
      // Not locked: it is nobody's.
      this.giveBack(sandbox, '');
    }
  }

  /** A new one in place of one that does not fit. */
  async exchange(sandbox: Sandbox, tenant: string | null): Promise<Sandbox> {
    this.#isMissed = true;
    // First: if none can be made, the statement still has this one, and gives it back or closes it.
    const other = await this.#takeNew(sandbox.options);
    if (tenant === null) this.discard(sandbox);
    else this.giveBack(sandbox, tenant);
    return other;
  }

  /** After a statement that left nothing in it. */
  giveBack(sandbox: Sandbox, tenant: string): void {
    this.#lent -= 1;
    const key = keyOf(sandbox.options);
    if (sandbox.isLasting) {
      this.#kept?.sandbox.close();
      this.#kept = { key, tenant, sandbox };
    } else if (!sandbox.isLocked && this.#spare === null) this.#spare = { key, sandbox };
    else sandbox.close();
  }

  discard(sandbox: Sandbox): void {
    this.#lent -= 1;
    sandbox.close();
  }

  /** Makes an instance for the next statement, if that would have to wait for one. */
  async warm(options: SandboxOptions): Promise<void> {
    const key = keyOf(options);
    const isWaitedFor = this.#isMissed || (this.#kept === null && this.#lent === 0);
    if (!isWaitedFor || this.#spare?.key === key) return;
    this.#isMissed = false;
    this.#spare?.sandbox.close();
    this.#spare = null;
    const sandbox = await Sandbox.open(options);
    if (this.#spare === null) this.#spare = { key, sandbox };
    else sandbox.close();
  }

  async #takeNew(options: SandboxOptions): Promise<Sandbox> {
    const spare = this.#spare?.key === keyOf(options) ? this.#spare.sandbox : null;
    if (spare !== null) this.#spare = null;
    this.#lent += 1;
    try {
      return spare ?? (await Sandbox.open(options));
    } catch (thrown) {
      this.#lent -= 1;
      throw thrown;
    }
  }
}

function keyOf(options: SandboxOptions): string {
  return JSON.stringify(options);
}
