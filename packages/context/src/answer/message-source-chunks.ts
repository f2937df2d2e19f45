/** Any source of an answer as a UI message stream: it begins with a start chunk, and ends with a finish. */
import { isRecord } from '../record.js';
import { chunksOf, type ChunkSource } from '../streaming/chunk-source.js';

const TEXT_ID = 'text';

/**
 * The chunks of a source, with strings as a text.
 * @param id of the message
 * @param signal aborted by a stop, after which no finish is added
 */
export function uiChunksOf(source: ChunkSource<unknown>, id: string, signal: AbortSignal): AsyncIterable<unknown> {
  const chunks = chunksOf(source);
  const ready: unknown[] = [];
  let [hasBegun, isText, isDone] = [false, false, false];
  let lastType: unknown;
  const take = (chunk: unknown) => {
    const type = isRecord(chunk) ? chunk['type'] : undefined;
    if (!hasBegun && type !== 'start') ready.push({ type: 'start', messageId: id });
    hasBegun = true;
    if (typeof chunk === 'string') {
      if (!isText) ready.push({ type: 'text-start', id: TEXT_ID });
      isText = true;
      ready.push({ type: 'text-delta', id: TEXT_ID, delta: chunk });
    } else ready.push(chunk);
    lastType = type;
  };
  const end = () => {
    isDone = true;
    if (isText) ready.push({ type: 'text-end', id: TEXT_ID });
    if (!signal.aborted && lastType !== 'finish' && lastType !== 'abort') ready.push({ type: 'finish' });
  };
  const next = async (): Promise<IteratorResult<unknown, undefined>> => {
    while (ready.length === 0 && !isDone) {
      const { done, value } = await chunks.next();
      if (done === true) end();
      else take(value);
    }
    return ready.length === 0 ? { done: true, value: undefined } : { done: false, value: ready.shift() };
  };
  const leave = async () => {
    await chunks.return?.();
    return { done: true as const, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}
