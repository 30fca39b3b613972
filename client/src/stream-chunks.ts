/** The chunks of a stream, in browsers too that cannot iterate over one. Leaving the loop cancels the stream. */
export async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk, void, void> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      yield value;
    }
    isDone = true;
  } finally {
    if (!isDone) await reader.cancel().catch(() => {});
  }
}
