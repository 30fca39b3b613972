/** What a scan of the text lets through at most. */
const charactersMax = 256 * 1024;

/** As long as a statement may be: a beginning, a piece again and again, what follows the pieces, and an end. */
function filled(start: string, piece: string, middle = '', end = ''): string {
  const times = Math.floor((charactersMax - start.length - middle.length - end.length) / piece.length);
  return start + piece.repeat(times) + middle + end;
}

/** Nested as deep as asked, without brackets: those are counted before anything is read. */
function nested(start: string, open: string, depth: number, middle: string, close: string): string {
  return start + open.repeat(depth) + middle + close.repeat(depth);
}

/** Statements that are as long, as deep or as hard to decide about as the text allows, by what they try. */
export const worstStatements: Readonly<Record<string, string>> = {
  'a list of numbers': filled('SELECT 1 IN (1', ',1', ')'),
  'a list of texts': filled("SELECT a IN ('x'", ",'yyyyyyyy'", ')'),
  columns: filled('SELECT a', ',a', ' FROM t'),
  'one text': filled("SELECT '", 'x', "'"),
  'one name': filled('SELECT `', 'x', '`'),
  'one number': filled('SELECT ', '1'),
  'texts beside each other': filled('SELECT ', "'a'"),
  'quotes in a text': filled("SELECT '", "''", "'"),
  'back-quotes in a name': filled('SELECT `', '``', '`'),
  spaces: filled('SELECT', ' ', '1'),
  comments: filled('SELECT 1', '/**/'),
  'one comment': filled('SELECT 1 /*', '*', '*/'),
  'comments to the end of the line': filled('SELECT 1', '--\\\n'),
  sums: filled('SELECT 1', '+1'),
  ands: filled('SELECT true', ' AND b'),
  concatenations: filled("SELECT 'a'", '||a'),
  comparisons: filled('SELECT 1', '=1'),
  signs: filled('SELECT ', '- ', '1'),
  tildes: filled('SELECT ', '~', '1'),
  nots: filled('SELECT ', 'NOT ', 'true'),
  'exclamation marks': filled('SELECT ', '! ', 'true'),
  fields: filled('SELECT a', '.b'),
  elements: filled('SELECT a', '[1]'),
  casts: filled('SELECT a', '::int'),
  paths: filled('SELECT a', ':b'),
  'cases in 64 levels': nested('SELECT ', 'CASE WHEN a THEN b ELSE ', 64, '1', ' END'),
  'cases in 2,000 levels': nested('SELECT ', 'CASE WHEN a THEN b ELSE ', 2_000, '1', ' END'),
  'cases as conditions': nested('SELECT ', 'CASE WHEN ', 200, 'a', ' THEN b END'),
  'brackets in 64 levels': nested('SELECT ', '(', 64, '1', ')'),
  'queries in 60 levels': nested('', 'SELECT * FROM (', 60, 'SELECT 1', ')'),
  'queries in expressions in 60 levels': nested('', 'SELECT (', 60, 'SELECT 1', ')'),
  'joins in brackets': nested('SELECT * FROM ', '(', 60, 't', ' JOIN t)'),
  'functions in 60 levels': nested('SELECT ', 'abs(', 60, '1', ')'),
  'functions that take functions': nested('SELECT ', 'transform(a, x -> ', 60, 'x', ')'),
  joins: filled('SELECT * FROM t', ' JOIN t ON a'),
  'joins without conditions': filled('SELECT * FROM t', ' JOIN t'),
  relations: filled('SELECT * FROM t', ',t'),
  unions: filled('SELECT 1', ' UNION SELECT 1'),
  pipes: filled('FROM t', ' |> WHERE a'),
  bars: filled('SELECT 1', ' | a'),
  'with queries': filled('WITH a AS (SELECT 1)', ',a AS (SELECT 1)', ' SELECT 1'),
  'lateral views': filled('SELECT 1 FROM t', ' LATERAL VIEW explode(a) AS b'),
  'rows of values': filled('VALUES (1)', ',(1)'),
  'grouping sets': filled('SELECT 1 FROM t GROUP BY GROUPING SETS ((a)', ',(a)', ')'),
  windows: filled('SELECT 1 FROM t WINDOW w AS (ORDER BY a)', ',w AS (ORDER BY a)'),
  'types in 15 levels': nested('SELECT CAST(a AS ', 'ARRAY<', 15, 'INT', '>').concat(')'),
  'arrays and shifts': filled('SELECT 1', ' , array >> 1'),
  intervals: filled('SELECT INTERVAL', " '1' DAY"),
  betweens: filled('SELECT a', ' BETWEEN 1 AND a'),
  'words that are no keywords': filled('SELECT', ' a'),
  keywords: filled('SELECT ', 'SELECT '),
  froms: filled('', 'FROM '),
  'open brackets of functions': nested('SELECT ', 'a(', 64, '', ''),
  'open cases': filled('SELECT ', 'CASE '),
  semicolons: filled('SELECT 1', ';'),
  parameters: filled('SELECT ?', ',?'),
};
