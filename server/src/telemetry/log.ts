import { LineWriter } from './line-writer.ts';
import { type LogEntry, type LogLevel, type LogThreshold, logLevels } from './log-entry.ts';
import { formatText } from './text-format.ts';
import { visibleLine } from './visible-line.ts';

export interface LogOptions {
  readonly level: LogThreshold;
  readonly format: 'json' | 'text';
  /** The one that writes, where several share a catalog: their lines are often read together. null: there are no others. */
  readonly node?: string | null;
  /** Where lines go; default: standard output. */
  readonly fd?: number;
}

/**
 * One line an event, on standard output. It is not pino: one `JSON.stringify` and a plain list of lines take half of pino's
 * time, and nothing else of it was needed.
 */
export class Log {
  #threshold: number;
  #timeMs = Number.NaN;
  #time = '';
  readonly #format: 'json' | 'text';
  readonly #node: string | null;
  readonly #nodeJson: string;
  readonly #writer: LineWriter;

  constructor({ level, format, node = null, fd = 1 }: LogOptions) {
    this.#threshold = logLevels.indexOf(level);
    this.#format = format;
    this.#node = node;
    this.#nodeJson = node === null ? '' : `"node":${JSON.stringify(node)},`;
    this.#writer = new LineWriter(fd, {
      lostLine: (count) => this.#line('warn', { event: 'log-lines-lost', count }),
    });
  }

  get linesLost(): number {
    return this.#writer.linesLost;
  }

  setLevel(level: LogThreshold): void {
    this.#threshold = logLevels.indexOf(level);
  }

  enabled(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= this.#threshold;
  }

  write(level: LogLevel, entry: LogEntry): void {
    if (this.enabled(level)) this.#writer.write(this.#line(level, entry));
  }

  /** Written at every level: the audit log cannot be turned off. */
  always(entry: LogEntry): void {
    this.#writer.write(this.#line('info', entry));
  }

  /** Writes what is left. Lines after that may be lost. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #line(level: LogLevel, entry: LogEntry): string {
    const time = this.#now();
    return visibleLine(
      this.#format === 'text'
        ? formatText(time, level, this.#node === null ? entry : { ...entry, node: this.#node })
        : `{"time":"${time}","level":"${level}",${this.#nodeJson}${JSON.stringify(entry).slice(1)}\n`,
    );
  }

  /** Written once a millisecond: under load many lines share one, and writing it would be half of a line's cost. */
  #now(): string {
    const nowMs = Date.now();
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs;
      this.#time = new Date(nowMs).toISOString();
    }
    return this.#time;
  }
}
