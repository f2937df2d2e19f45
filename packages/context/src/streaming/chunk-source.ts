import { invalid } from '../errors.js';

/** The chunks of the AI SDK's toUIMessageStream(), or any other. */
export type ChunkSource<Chunk> = ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>;

/** Its chunks, in order; return() ends it early. */
export function chunksOf<Chunk>(source: ChunkSource<Chunk>): AsyncIterator<Chunk, unknown> | Iterator<Chunk, unknown> {
  // Arguments are unchecked when called from JavaScript, and some runtimes cannot iterate over streams.
  const given = source as Partial<ReadableStream<Chunk> & AsyncIterable<Chunk> & Iterable<Chunk>> | null;
  if (typeof given?.getReader === 'function') return chunksOfStream(source as ReadableStream<Chunk>);
  if (typeof given?.[Symbol.asyncIterator] === 'function')
    return (source as AsyncIterable<Chunk>)[Symbol.asyncIterator]();
  if (typeof source !== 'string' && typeof given?.[Symbol.iterator] === 'function') {
    return (source as Iterable<Chunk>)[Symbol.iterator]();
  }
  throw invalid('source must be a ReadableStream or an iterable of chunks', 'source');
}

function chunksOfStream<Chunk>(stream: ReadableStream<Chunk>): AsyncIterator<Chunk, undefined> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done: true, value: undefined } : { done: false, value };
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
