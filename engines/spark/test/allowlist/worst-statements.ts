/** What a scan of the text lets through at most; words a little below it, because those around the pieces count too. */
const charactersMax = 256 * 1024;
const wordsMax = 24_900;

/** As long as a statement may be: a beginning, a piece again and again, what follows the pieces, and an end. */
function filled(start: string, piece: string, middle = '', end = ''): string {
  const times = Math.floor((charactersMax - start.length - middle.length - end.length) / piece.length);
  return start + piece.repeat(times) + middle + end;
}

/** As many words and signs as a statement may have, in pieces of so many. */
function many(start: string, piece: string, end = ''): string {
  const words = piece.match(/'\w*'|\w+|\S/g)?.length ?? 1;
  return start + piece.repeat(Math.floor(wordsMax / words)) + end;
}

/** Nested as deep as asked, without brackets: those are counted before anything is read. */
function nested(start: string, open: string, depth: number, middle: string, close: string): string {
  return start + open.repeat(depth) + middle + close.repeat(depth);
}

/** Statements that are as long, as deep or as hard to decide about as the text allows, by what they try. */
export const worstStatements: Readonly<Record<string, string>> = {
  'a list of numbers': many('SELECT 1 IN (1', ',1', ')'),
  'a list of texts': many("SELECT a IN ('x'", ",'yyyyyyyy'", ')'),
  columns: many('SELECT a', ',a', ' FROM t'),
  'one text': filled("SELECT '", 'x', "'"),
  'one name': filled('SELECT `', 'x', '`'),
  'one number': filled('SELECT ', '1'),
  'texts beside each other': filled('SELECT ', "'a'"),
  'quotes in a text': filled("SELECT '", "''", "'"),
  'back-quotes in a name': filled('SELECT `', '``', '`'),
  spaces: filled('SELECT', ' ', '1'),
  comments: many('SELECT 1', '/**/'),
  'one comment': filled('SELECT 1 /*', '*', '*/'),
  'comments to the end of the line': filled('SELECT 1', '--\\\n'),
  'more sums than words': filled('SELECT 1', '+1'),
  sums: many('SELECT 1', '+1'),
  ands: many('SELECT true', ' AND b'),
  concatenations: many("SELECT 'a'", '||a'),
  comparisons: many('SELECT 1', '=1'),
  signs: many('SELECT ', '- ', '1'),
  tildes: many('SELECT ', '~', '1'),
  nots: many('SELECT ', 'NOT ', 'true'),
  'exclamation marks': many('SELECT ', '! ', 'true'),
  fields: many('SELECT a', '.b'),
  elements: many('SELECT a', '[1]'),
  casts: many('SELECT a', '::int'),
  paths: many('SELECT a', ':b'),
  'cases in 64 levels': nested('SELECT ', 'CASE WHEN a THEN b ELSE ', 64, '1', ' END'),
  'cases in 2,000 levels': nested('SELECT ', 'CASE WHEN a THEN b ELSE ', 2_000, '1', ' END'),
  'cases as conditions': nested('SELECT ', 'CASE WHEN ', 200, 'a', ' THEN b END'),
  'brackets in 64 levels': nested('SELECT ', '(', 64, '1', ')'),
  'queries in 60 levels': nested('', 'SELECT * FROM (', 60, 'SELECT 1', ')'),
  'queries in expressions in 60 levels': nested('', 'SELECT (', 60, 'SELECT 1', ')'),
  'joins in brackets': nested('SELECT * FROM ', '(', 60, 't', ' JOIN t)'),
  'functions in 60 levels': nested('SELECT ', 'abs(', 60, '1', ')'),
  'functions that take functions': nested('SELECT ', 'transform(a, x -> ', 60, 'x', ')'),
  joins: many('SELECT * FROM t', ' JOIN t ON a'),
  'joins without conditions': many('SELECT * FROM t', ' JOIN t'),
  relations: many('SELECT * FROM t', ',t'),
  unions: many('SELECT 1', ' UNION SELECT 1'),
  pipes: many('FROM t', ' |> WHERE a'),
  bars: many('SELECT 1', ' | a'),
  'with queries': many('WITH a AS (SELECT 1)', ',a AS (SELECT 1)', ' SELECT 1'),
  'lateral views': many('SELECT 1 FROM t', ' LATERAL VIEW explode(a) AS b'),
  'rows of values': many('VALUES (1)', ',(1)'),
  'grouping sets': many('SELECT 1 FROM t GROUP BY GROUPING SETS ((a)', ',(a)', ')'),
  windows: many('SELECT 1 FROM t WINDOW w AS (ORDER BY a)', ',w AS (ORDER BY a)'),
  'types in 15 levels': nested('SELECT CAST(a AS ', 'ARRAY<', 15, 'INT', '>').concat(')'),
  'arrays and shifts': many('SELECT 1', ' , array >> 1'),
  intervals: many('SELECT INTERVAL', " '1' DAY"),
  betweens: many('SELECT a', ' BETWEEN 1 AND a'),
  'words that are no keywords': many('SELECT', ' a'),
  keywords: many('SELECT ', 'SELECT '),
  froms: many('', 'FROM '),
  'open brackets of functions': nested('SELECT ', 'a(', 64, '', ''),
  'open cases': many('SELECT ', 'CASE '),
  semicolons: many('SELECT 1', ';'),
  parameters: many('SELECT ?', ',?'),
};
