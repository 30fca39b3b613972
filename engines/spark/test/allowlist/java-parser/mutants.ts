import { type Random, seededRandom } from '../../../../../server/test/fuzz/seeded-random.ts';

/** What changes the meaning of what stands beside it, most of all for a lexer. */
const oddPieces = [
  "'",
  '"',
  '`',
  '``',
  "''",
  '\\',
  '\\\n',
  '--',
  '/*',
  '*/',
  '/*+',
  '$$',
  '$a$',
  '${',
  ';',
  '|>',
  '|',
  '||',
  '>>',
  '>>>',
  '<>',
  '<',
  '>',
  '!',
  '!=',
  '->',
  '=>',
  '::',
  ':',
  '?',
  '.',
  '..',
  '1.',
  '.5',
  '1e5',
  '1.e',
  '5L',
  '7S',
  '1BD',
  '2.3_',
  "r'",
  'R"',
  "x'00'",
  '(',
  ')',
  '[',
  ']',
  ',',
  '-',
  '+',
  '%',
  '~',
  '^',
  '@',
  '#',
  '&',
  '=',
  '\n',
  '\r',
  '\t',
  '\u000b',
  '\u00a0',
  'é',
  '😀',
  'ſ',
  '\u2028',
  'a-b',
  's3://a/b',
  '_',
  '0',
  '12',
  'array<',
  'struct<>',
];

/** Changed statements: the same for the same seed, and each for itself. */
export function* mutants(
  statements: readonly string[],
  count: number,
  seed: number,
): Generator<string, void, void> {
  const pieces = [...new Set(statements.flatMap(piecesOf))].filter((piece) => piece.trim() !== '');
  for (let index = 0; index < count; index++) {
    const random = seededRandom(seed, index);
    let text = pick(statements, random);
    for (let change = 0; change <= random(3); change++)
      text = random(2) === 0 ? changeAPiece(text, pieces, random) : changeACharacter(text, random);
    yield text;
  }
}

/** Words, numbers, quoted texts, comments, spaces and single symbols. */
function piecesOf(text: string): string[] {
  return text.match(/--.*|\/\*|\*\/|'(?:[^'\\]|\\.)*'|`[^`]*`|\w+|\s+|[^\w\s]/g) ?? [];
}

function changeAPiece(text: string, others: readonly string[], random: Random): string {
  const pieces = piecesOf(text);
  const at = random(pieces.length + 1);
  const another = () => (random(3) === 0 ? pick(oddPieces, random) : pick(others, random));
  switch (random(6)) {
    case 0:
      pieces.splice(at, 1);
      break;
    case 1:
      pieces.splice(at, 1, another());
      break;
    case 2:
      pieces.splice(at, 0, ' ', another(), ' ');
      break;
    case 3: {
      const run = pieces.slice(at, at + 1 + random(12));
      pieces.splice(random(pieces.length + 1), 0, ' ', ...run, ' ');
      break;
    }
    case 4: {
      const to = random(pieces.length + 1);
      const [moved] = pieces.splice(at, 1);
      if (moved !== undefined) pieces.splice(to, 0, moved);
      break;
    }
    default:
      pieces.splice(at, random(20));
  }
  return pieces.join('');
}

function changeACharacter(text: string, random: Random): string {
  const at = random(text.length + 1);
  const before = text.slice(0, at);
  const after = text.slice(at);
  switch (random(4)) {
    case 0:
      return before + after.slice(1);
    case 1:
      return before + pick(oddPieces, random) + after;
    case 2:
      return before + pick(oddPieces, random) + after.slice(1);
    default:
      return before + after.charAt(1) + after.charAt(0) + after.slice(2);
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}
