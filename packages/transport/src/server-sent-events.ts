/** Reads Server-Sent Events from a response of `fetch`: EventSource sends neither a body nor headers. */

export interface ServerSentEvent {
  event: string;
  data: string;
}

/**
 * Yields the events of a stream.
 * @param onBytes called with each part of the response, comments included
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    onBytes();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== null) yield event;
    }
  }
}

/** null for a comment. */
function readBlock(block: string): ServerSentEvent | null {
  let event: string | null = null;
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data += line.slice(5).trimStart();
  }
  return event === null ? null : { event, data };
}
