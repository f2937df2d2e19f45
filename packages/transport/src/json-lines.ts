/**
 * Reads a response of JSON lines as it arrives. Leaving the iteration cancels the response.
 * @throws the errors of the body, and SyntaxError for a line that is not JSON
 */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line);
    }
    if (rest !== '') yield JSON.parse(rest);
  } finally {
    await reader.cancel().catch(() => {});
  }
}
