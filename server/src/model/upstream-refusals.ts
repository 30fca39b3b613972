import { FrameholdError } from './errors.ts';

/** The same error for everything that needs the external database. */
export function tsdbNotConfigured(): FrameholdError {
  return new FrameholdError(
    'tsdb_not_configured',
    'No external database is configured, so SQL cannot be forwarded.',
    {
      hint: 'Set SERVICE_TSDB_HTTP_URL (or FRAMEHOLD_TSDB_HTTP_URL) to its address, for example http://127.0.0.1:9000. To query stored frames with SQL, use POST /v1/sql.',
    },
  );
}

export function tsdbUrlTooLong(urlBytes: number, urlBytesMax: number): FrameholdError {
  return new FrameholdError(
    'url_too_long',
    `The forwarded URL would have ${urlBytes} bytes; the external database takes ${urlBytesMax}.`,
    { hint: 'Make the query shorter.' },
  );
}
