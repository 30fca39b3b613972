import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Renderer, RowFormat } from '../../src/ports/renderer.ts';
import { runPython } from '../support/python.ts';
import { collect, type ReadingChoice, readingOf, type SampleFrames } from './sample-frames.ts';

const never = new AbortController().signal;

/** Answers written to files, and what pyarrow is to compare them with. */
export class Comparisons {
  readonly #frames: SampleFrames;
  readonly #renderer: Renderer;
  readonly #requests: unknown[] = [];

  constructor(frames: SampleFrames, renderer: Renderer) {
    this.#frames = frames;
    this.#renderer = renderer;
  }

  /** Answers the path of what was written. */
  async add(names: readonly string[], choice: ReadingChoice, format: RowFormat = 'arrow'): Promise<string> {
    const sources = names.map(this.#frames.path);
    const reading = readingOf(sources, choice);
    const { columns, offset, rowCount } = reading;
    const options = { format, query: '', quoteLargeNumbers: false };
    const actual = join(this.#frames.folder, `${this.#requests.length} ${names.join('+')}.${format}`);
    writeFileSync(actual, await collect(this.#renderer.render(reading, options, never)));
    this.#requests.push({ format, actual, sources, columns, offset, rowCount });
    return actual;
  }

  /** What pyarrow finds different, in words; nothing if all is well. */
  async differences(): Promise<unknown> {
    return await runPython([join(import.meta.dirname, 'compare-tables.py')], this.#requests);
  }
}
