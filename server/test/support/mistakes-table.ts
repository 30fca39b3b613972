import { readFileSync } from 'node:fs';

export interface Mistake {
  readonly mistake: string;
  /** What the tool says, or the beginning of it. */
  readonly message: string;
  readonly remedy: string;
}

/** The rows of a page of docs/guides/mistakes. Its test makes each mistake and compares what is said. */
export function readMistakes(page: string): Mistake[] {
  const text = readFileSync(new URL(`../../../docs/guides/mistakes/${page}.md`, import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => {
    const [mistake = '', message = '', remedy = ''] = row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim());
    return { mistake, message: message.replaceAll('`', '').replaceAll('\\|', '|'), remedy };
  });
}
