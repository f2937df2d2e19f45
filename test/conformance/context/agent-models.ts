/** Test models of the AI SDK with scripted streams. */
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import type { MockLanguageModelV2 } from 'ai-v5/test';

/** The stream of a test model. */
export type ChunksOf<Model extends MockLanguageModelV2 | MockLanguageModelV3> =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Chunk> ? Chunk[] : never;
type Chunks = ChunksOf<MockLanguageModelV3>;

export const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

export const says = (delta: string): Chunks => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: USAGE },
];

export const asks = (toolCallId: string, city: string): Chunks => [
  { type: 'tool-call', toolCallId, toolName: 'weather', input: JSON.stringify({ city }) },
  { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: USAGE },
];

export const fails: Chunks = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'In Por' },
  { type: 'error', error: new Error('the model is overloaded') },
];

/** A model that returns one of these streams per call. */
export const modelOf = (...answers: Chunks[]) =>
  new MockLanguageModelV3({
    doStream: answers.map((chunks) => ({
      stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
    })),
  });
