/** The AI SDK's own chat, with its default transport, on a handler. */
import * as sdk from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import type { LanguageModel } from 'ai';
import { chatScenarios, laterScenarios } from './chat-scenarios.js';
import { streamParts, type Turn } from './sdk-page.js';

const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

function modelOf(turns: Turn[], prompts: unknown[]): LanguageModel {
  return new MockLanguageModelV3({
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const parts = streamParts(turns[prompts.length - 1]!, USAGE, (unified) => ({ unified, raw: unified }));
      return {
        stream: simulateReadableStream({ chunks: parts as never[], initialDelayInMs: null, chunkDelayInMs: null }),
      };
    },
  });
}

chatScenarios(sdk, modelOf);
laterScenarios(sdk, modelOf);
