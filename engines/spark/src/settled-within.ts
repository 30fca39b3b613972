/** Resolves when the promise has settled, or when the time is over: whoever waits has nothing to gain from waiting longer. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<unknown>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([promise.catch(() => {}), over.promise]);
  clearTimeout(timer);
}
