/** The library assembles the same messages from a stream as the AI SDK, in both versions. */
import * as v6 from 'ai';
import * as v5 from 'ai-v5';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UIMessage } from '@parley/context';
import { MessageParts } from '../../../packages/context/src/streaming/message-parts.js';
import { streamedChunks, type StreamedChunk } from './streamed-chunks.js';

/** The functions of both SDK versions that assemble a message. */
interface Sdk {
  readUIMessageStream(options: {
    stream: ReadableStream<never>;
    onError?: (error: unknown) => void;
  }): AsyncIterable<UIMessage>;
}

async function bySdk(sdk: Sdk, chunks: readonly StreamedChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  // The SDK does not report a step alone, so a metadata chunk follows.
  const stream = new ReadableStream<never>({
    start(controller) {
      for (const chunk of [...chunks, { type: 'message-metadata', messageMetadata: {} }])
        controller.enqueue(chunk as never);
      controller.close();
    },
  });
  for await (const soFar of sdk.readUIMessageStream({ stream, onError: () => {} })) last = soFar;
  return last && (JSON.parse(JSON.stringify(last)) as UIMessage);
}

function byLibrary(chunks: readonly StreamedChunk[]): unknown {
  const parts = new MessageParts();
  for (const chunk of [...chunks, { type: 'message-metadata', messageMetadata: {} }]) {
    parts.take(JSON.parse(JSON.stringify(chunk)));
  }
  return JSON.parse(JSON.stringify(parts.message('m', 'assistant')));
}

describe.each<[5 | 6, Sdk]>([
  [6, v6],
  [5, v5],
])('a stream of version %i', (version, sdk) => {
  test('is assembled as by the SDK, also when it is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(streamedChunks(version), fc.double({ min: 0, max: 1, noNaN: true }), async (chunks, part) => {
        const some = chunks.slice(0, 1 + Math.round(part * (chunks.length - 1)));
        expect(byLibrary(some)).toEqual(await bySdk(sdk, some));
        expect(byLibrary(chunks)).toEqual(await bySdk(sdk, chunks));
      }),
      { numRuns: 300 },
    );
  });
});

test('a chunk without its start is refused, as by the SDK', () => {
  for (const chunk of [
    { type: 'text-delta', id: '1', delta: 'x' },
    { type: 'reasoning-end', id: '1' },
    { type: 'tool-input-delta', toolCallId: '1', inputTextDelta: '' },
    { type: 'tool-output-available', toolCallId: '1', output: 1 },
  ]) {
    expect(() => new MessageParts().take(chunk)).toThrow(/^A chunk .* of 1 came without a .* before it$/);
  }
});
