/**
 * How long a test waits for what must come. Nothing is measured by it: it only ends a test that would hang. A server is ready within two
 * seconds on a machine of its own, and within a minute or two if others use the same processors.
 */
export const patienceMs = 240_000;

/** Asks until it is so. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await holds()); ) {
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
