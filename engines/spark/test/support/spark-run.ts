/**
 * `npm run test:spark` runs the sizes that the documents name; `.ci/run`, with TEST_SPARK=share, a share of them that ends within minutes.
 */
export function inWholeSparkRun<Size>(whole: Size, share: Size): Size {
  return process.env.TEST_SPARK === 'share' ? share : whole;
}
