/** createAnswerHandler with version 5 of the AI SDK, on the server and on the page. */
import * as v5 from 'ai-v5';
import { MockLanguageModelV2, simulateReadableStream } from 'ai-v5/test';
import { expect, test, vi } from 'vitest';
import { chatStories } from '../packages/context/test/chat-stories.js';
import { streamParts, type Sdk } from '../packages/context/test/sdk-page.js';

const { streamText } = vi.hoisted(() => ({ streamText: vi.fn() }));
// The package that the handler finds under the name of its optional peer.
vi.mock('../node_modules/ai/dist/index.mjs', async () => {
  const sdk = await import('ai-v5');
  return { ...sdk, streamText: streamText.mockImplementation(sdk.streamText) };
});

const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

chatStories(v5 as unknown as Sdk, (turns, prompts) => {
  const model = new MockLanguageModelV2({
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const chunks = streamParts(turns[prompts.length - 1]!, USAGE, (reason) => reason) as never[];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
  return model;
});

test('the handler has called version 5', () => {
  expect(streamText).toHaveBeenCalled();
});
