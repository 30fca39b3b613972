/** Every regular expression that a TypeScript source makes: literals, and calls of `RegExp`. */
export interface FoundExpression {
  /** As it is written: `/^a+$/u`, or `new RegExp(…)`. */
  readonly text: string;
  readonly line: number;
}

/** After these a slash begins an expression; after anything else it divides. */
const expressionBefore =
  /(?:^|[([{,;:=!?&|+\-*%~^<>]|\b(?:return|typeof|case|in|of|throw|void|delete|await|yield))\s*$/;

export function regularExpressions(source: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  // The code so far without what is in comments and literals: what a slash means depends on what is before it.
  let code = '';
  /** Depth of braces at which each open `${` of a template began. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  const add = (text: string) => found.push({ text, line: source.slice(0, at).split('\n').length });
  const skipTo = (end: number) => {
    code += '_';
    at = end;
  };
  while (at < source.length) {
    const rest = source.slice(at, at + 20);
    const letter = source[at] ?? '';
    if (rest.startsWith('//') || (at === 0 && rest.startsWith('#!'))) at = indexOrEnd(source, '\n', at);
    else if (rest.startsWith('/*')) at = indexOrEnd(source, '*/', at + 2) + 2;
    else if (letter === '"' || letter === "'") skipTo(endOfQuoted(source, at));
    else if (letter === '`' || (letter === '}' && templates.at(-1) === depth)) {
      if (letter === '}') templates.pop();
      const { end, opens } = endOfTemplate(source, at + 1);
      skipTo(end);
      if (opens) {
        templates.push(depth);
        code += '(';
      }
    } else if (letter === '/' && expressionBefore.test(code.slice(-20))) {
      const end = endOfExpression(source, at);
      add(source.slice(at, end));
      skipTo(end);
    } else {
      if (letter === '{') depth++;
      if (letter === '}') depth--;
      if (/^RegExp\s*\(/.test(rest) && !/[\w.]$/.test(code)) add('new RegExp(…)');
      code += letter;
      at++;
    }
  }
  return found;
}

function indexOrEnd(source: string, mark: string, from: number): number {
  const index = source.indexOf(mark, from);
  return index === -1 ? source.length : index;
}

function endOfQuoted(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== source[start]) at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** `opens`: it ends with `${`, and code follows. */
function endOfTemplate(source: string, start: number): { readonly end: number; readonly opens: boolean } {
  for (let at = start; at < source.length; at += source[at] === '\\' ? 2 : 1) {
    if (source[at] === '`') return { end: at + 1, opens: false };
    if (source.startsWith('${', at)) return { end: at + 2, opens: true };
  }
  return { end: source.length, opens: false };
}

function endOfExpression(source: string, start: number): number {
  let isClass = false;
  let at = start + 1;
  for (; at < source.length && (isClass || source[at] !== '/'); at += source[at] === '\\' ? 2 : 1) {
    if (source[at] === '[') isClass = true;
    if (source[at] === ']') isClass = false;
  }
  at++;
  while (/[a-z]/.test(source[at] ?? '')) at++;
  return at;
}
