/** createAnswerHandler with each version of the AI SDK, on the server and on the page. */
import * as sdk from 'ai';
import type { LanguageModel } from 'ai';
import * as models from 'ai/test';
import { chatScenarios, laterScenarios } from '../../../packages/context/test/chat-scenarios.js';
import { streamParts, type Turn } from '../../../packages/context/test/sdk-page.js';

type Models = typeof models;
// Version 5 uses an older model specification, with plain values for usage and finish reasons.
const isVersion5 = !('MockLanguageModelV3' in models);
const Model = isVersion5
  ? (models as unknown as { MockLanguageModelV2: Models['MockLanguageModelV3'] }).MockLanguageModelV2
  : models.MockLanguageModelV3;
const USAGE = isVersion5
  ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

function modelOf(turns: Turn[], prompts: unknown[]): LanguageModel {
  return new Model({
    doStream: ({ prompt }) => {
      prompts.push(prompt);
      const reason = (unified: string) => (isVersion5 ? unified : { unified, raw: unified });
      const chunks = streamParts(turns[prompts.length - 1]!, USAGE, reason) as never[];
      return Promise.resolve({
        stream: sdk.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
      });
    },
  });
}

chatScenarios(sdk, modelOf);
if (!isVersion5) laterScenarios(sdk, modelOf);
