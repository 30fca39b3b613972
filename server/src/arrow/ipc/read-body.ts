/** The body of a message, in an ArrayBuffer of its own. */
export async function readBody(message: {
  readonly bodyBytes: number;
  readBody(target: Uint8Array): Promise<void>;
}): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(message.bodyBytes);
  await message.readBody(body);
  return body;
}
