/** Reads an answer to its end and keeps nothing. Not compressed: the peers do not compress either. */
export async function drain(url: string): Promise<void> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  if (!answer.ok || answer.body === null) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  let bytes = 0;
  for await (const chunk of answer.body) bytes += chunk.length;
  if (bytes === 0) throw new Error(`${url}: no bytes`);
}
