/**
 * Some sizes take too long for every change: `npm test` and `npm run test:e2e` run a share, `npm run test:long` runs the files that
 * import this one at the size that the documents name.
 */
export function inLongRun<Size>(long: Size, share: Size): Size {
  return process.env.TEST_LONG === 'true' ? long : share;
}
