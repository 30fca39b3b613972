/**
 * On every answer. Nothing here is a page: no script of an answer runs, it is in no frame of another, and a link's secret in the URL goes
 * nowhere else.
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;
