/** The chunks of a draft as a stream for the AI SDK. */
import type { UIMessageChunk } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import type { WrittenFragment } from '../generated/operations.js';
import { chunkReader } from './assemble-message.js';
import { readDraft } from './read-draft.js';
import { toSdk, type Chunk } from './ui-message.js';

/** All chunks of a draft as it grows, until the draft or its request ends. */
export function replayDraft(
  parley: Parley,
  chatId: string,
  { id, length }: Pick<WrittenFragment, 'id' | 'length'>,
): ReadableStream<UIMessageChunk> {
  const leaving = new AbortController();
  const convert = chunkReader(id);
  let last: unknown;
  let read = 0;
  return new ReadableStream({
    async start(controller) {
      const put = (chunk: Chunk) => controller.enqueue(toSdk(chunk));
      const next = (chunks: readonly unknown[]) => {
        read += chunks.length;
        last = chunks.at(-1);
        chunks.flatMap(convert).forEach(put);
        const { type } = last as Partial<Chunk>;
        return read >= length && (type === 'finish' || type === 'abort');
      };
      const { signal } = leaving;
      if ((await readDraft(parley, { chatId, id, next, signal })) === 'aborted') return;
      // A writer of strings sends no chunk that ends its text part.
      if (typeof last === 'string') for (const type of ['text-end', 'finish']) put({ type, id: 'text' });
      controller.close();
    },
    cancel: () => leaving.abort(),
  });
}
