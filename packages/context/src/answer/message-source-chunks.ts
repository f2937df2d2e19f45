/** Any source of an answer as a UI message stream: it begins with a start chunk, and ends with a finish. */
import { isRecord } from '../record.js';
import { chunksOf, type ChunkSource } from '../streaming/chunk-source.js';

const TEXT_ID = 'text';

/**
 * The chunks of a source, with strings as a text. The start is there before the source is open.
 * @param open opens the source; its error is the error of the stream
 * @param id of the message
 * @param signal aborted by a stop, after which no finish is added
 */
export function uiChunksOf(
  open: () => Promise<ChunkSource<unknown>>,
  id: string,
  signal: AbortSignal,
): AsyncIterator<unknown, undefined> {
  const ready: unknown[] = [{ type: 'start', messageId: id }];
  let opened: Promise<ReturnType<typeof chunksOf>> | undefined;
  let [hasBegun, isText, isDone] = [false, false, false];
  let lastType: unknown;
  const take = (chunk: unknown) => {
    lastType = isRecord(chunk) ? chunk['type'] : undefined;
    if (typeof chunk === 'string') {
      if (!isText) ready.push({ type: 'text-start', id: TEXT_ID });
      isText = true;
      ready.push({ type: 'text-delta', id: TEXT_ID, delta: chunk });
    } else if (hasBegun || lastType !== 'start') ready.push(chunk);
    else ready.push(...metadataOf(chunk));
    hasBegun = true;
  };
  const end = () => {
    isDone = true;
    if (isText) ready.push({ type: 'text-end', id: TEXT_ID });
    if (!signal.aborted && lastType !== 'finish' && lastType !== 'abort') ready.push({ type: 'finish' });
  };
  return {
    next: async () => {
      while (ready.length === 0 && !isDone) {
        opened ??= open().then(chunksOf);
        const { done, value } = await (await opened).next();
        if (done === true) end();
        else take(value);
      }
      return ready.length === 0 ? { done: true, value: undefined } : { done: false, value: ready.shift() };
    },
    return: async () => {
      await (await opened)?.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** The metadata of a start whose place is taken. */
function metadataOf(start: unknown): object[] {
  const messageMetadata = isRecord(start) ? start['messageMetadata'] : undefined;
  return messageMetadata == null ? [] : [{ type: 'message-metadata', messageMetadata }];
}
