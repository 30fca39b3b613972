/** All of standard input, or a little more than may be. Not read at once: a pipe that has nothing yet would be an error. */
export async function readStandardInput(bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece as Uint8Array);
    bytes += (piece as Uint8Array).length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(pieces);
}
