import { parseStatement } from './parse.ts';

/** What is left of a statement that may run. */
export function checkStatement(sql: string): { readonly text: string } {
  const { tokens } = parseStatement(sql);
  return { text: tokens.map((token) => token.text).join(' ') };
}

export function fillStatement({ text }: { readonly text: string }): string {
  return checkStatement(text).text;
}
