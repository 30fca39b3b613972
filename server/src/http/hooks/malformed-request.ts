import type { FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';

/** Proxies and browsers send some thirty. Above its limit Node would silently omit headers, perhaps an If-Match. */
export const headersMax = 200;

/** What is wrong with the form of a request, before it is routed. */
export function malformedRequest(
  { raw }: FastifyRequest,
  limits: { readonly urlBytesMax: number },
): FrameholdError | undefined {
  const { rawHeaders, headers, httpVersion, url = '' } = raw;
  if (url.length > limits.urlBytesMax)
    return new FrameholdError(
      'url_too_long',
      `The URL has ${url.length} bytes; this server accepts ${limits.urlBytesMax}.`,
      { hint: 'Make it shorter, or raise http.url_bytes_max.' },
    );
  if (rawHeaders.length > headersMax * 2)
    return new FrameholdError('headers_too_large', `The request has more than ${headersMax} headers.`);
  if (httpVersion !== '1.1') return undefined;
  const hosts = countHosts(rawHeaders);
  if (hosts !== 1)
    return new FrameholdError('bad_request', `The request has ${hosts === 0 ? 'no' : hosts} Host headers.`, {
      hint: 'Send one Host header, as HTTP/1.1 requires.',
    });
  if (headers.expect !== undefined && !continues.test(headers.expect))
    return new FrameholdError(
      'expectation_failed',
      'The header Expect has another value than 100-continue.',
      {
        hint: 'Send Expect: 100-continue, or omit the header.',
      },
    );
  return undefined;
}

/** As Node decides which of its two events to emit. */
const continues = /(?:^|\W)100-continue(?:$|\W)/i;

/** Node keeps only the first: two would let a proxy and this server see different names. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}
