import type { FrameholdError } from '../../client/src/index.ts';

/** What hints of the server say to programs over HTTP, and what it is called here. A test compares the first with the server's sources. */
export const phrases: readonly (readonly [overHttp: string, here: string])[] = [
  ['GET /v1/frames lists all frames; over Flight, use ListFlights.', 'framehold ls lists the frames.'],
  ['GET /v1/frames lists', 'framehold ls lists'],
  ['GET /v1/queries lists', 'framehold watch --statements shows'],
  [
    'Correct the statement and send it again. GET /v1/functions lists functions and keywords.',
    'Correct the statement; framehold show NAME lists the columns of a frame.',
  ],
  [
    'GET /v1/openapi.json lists all routes.',
    'Check the path in --url: a proxy may need one, a server needs none.',
  ],
  ['charset=windows-1252', '--charset windows-1252'],
  ['with columns=', 'with --columns'],
];

/** What to do, in words of the command line. */
export function hintFor(error: FrameholdError): string | undefined {
  const { code, status, detail, hint, requestId } = error;
  if (code === 'sql_invalid' && / parameters?, /.test(detail))
    return 'Give each a value with -p NAME=VALUE, or -p 1=VALUE for $1.';
  if (hint !== undefined)
    return phrases.reduce((text, [overHttp, here]) => text.replaceAll(overHttp, here), hint);
  if (code === 'frame_not_found' || code === 'frame_gone') return 'framehold ls lists the frames.';
  if (status === 403) return 'Ask the operator of the server for a token with that scope.';
  if (status >= 500 && requestId !== undefined)
    return `The log of the server has more, under the request ${requestId}.`;
  return undefined;
}
