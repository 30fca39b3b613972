import type { LogEntry, LogLevel } from './log-entry.ts';

/** A line for people: `12:30:05.120 INFO  put name=trades rows=1000`. Stacks follow on lines of their own. */
export function formatText(time: string, level: LogLevel, entry: LogEntry): string {
  const { event, ...fields } = entry;
  const stacks: string[] = [];
  const pairs = Object.entries(fields).map(([name, value]) => {
    if (isStacked(value)) {
      stacks.push(value.stack);
      return `${name}=${formatValue(value.message)}`;
    }
    return `${name}=${formatValue(value)}`;
  });
  const head = [time.slice(11, 23), level.toUpperCase().padEnd(5), event, ...pairs].join(' ');
  const indented = stacks.flatMap((stack) => stack.split('\n')).map((line) => `\n    ${line}`);
  return `${head}${indented.join('')}\n`;
}

interface Stacked {
  readonly message: string;
  readonly stack: string;
}

function isStacked(value: unknown): value is Stacked {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
}

/** Quoted unless it is one plain word, so that text from a caller cannot look like another field or line. */
function formatValue(value: unknown): string {
  if (typeof value === 'string' && /^[\x21\x23-\x3c\x3e-\x7e]+$/.test(value)) return value;
  return JSON.stringify(value) ?? 'undefined';
}
