import { waitingFor, waitingForEach } from '../../base/request-time.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Reading } from '../../ports/reading.ts';
import type { IpcMessage, Renderer, RowShape, StreamedRows, StreamOptions } from '../../ports/renderer.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import { frameDamaged } from './frame-damaged.ts';

/** A renderer that verifies the stored bytes after an unexpected failure. Damaged ones are never read again. */
export class GuardedRenderer implements Renderer {
  readonly #renderer: Renderer;
  readonly #guard: ObjectGuard;

  constructor(renderer: Renderer, guard: ObjectGuard) {
    this.#renderer = renderer;
    this.#guard = guard;
  }

  async *render(
    reading: Reading,
    options: RowShape,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* waitingForEach('rendering', this.#renderer.render(reading, options, signal));
    } catch (thrown) {
      throw await this.#reason(thrown, reading, signal);
    }
  }

  renderStream(rows: StreamedRows, options: StreamOptions, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return waitingForEach('rendering', this.#renderer.renderStream(rows, options, signal));
  }

  async *messages(reading: Reading, signal: AbortSignal): AsyncGenerator<IpcMessage, void, void> {
    try {
      const messages = waitingForEach('rendering', this.#renderer.messages(reading, signal));
      for await (const { header, bodyBytes, readBody } of messages)
        yield {
          header,
          bodyBytes,
          readBody: (target) =>
            waitingFor('rendering', readBody(target)).catch(async (thrown: unknown) => {
              throw await this.#reason(thrown, reading, signal);
            }),
        };
    } catch (thrown) {
      throw await this.#reason(thrown, reading, signal);
    }
  }

  schemaMessage(reading: Reading): Promise<Uint8Array> {
    return this.#renderer.schemaMessage(reading);
  }

  close(): Promise<void> {
    return this.#renderer.close();
  }

  async #reason(thrown: unknown, reading: Reading, signal: AbortSignal): Promise<unknown> {
    const foreseen = thrown instanceof FrameholdError && thrown.kind !== 'internal';
    if (foreseen || signal.aborted || reading.objects === undefined) return thrown;
    const damaged = await this.#guard.examine(reading.objects).catch(() => false);
    return damaged ? frameDamaged(reading.record, thrown) : thrown;
  }
}
