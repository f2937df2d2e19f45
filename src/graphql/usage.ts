import type { ModelUsage } from '../conversation/saving/message-usage.js';
import { builder } from './builder.js';

const tokens = (description: string) => ({ nullable: true, description }) as const;

/** Read from a stored sum with `usageFrom`. */
export const modelUsageRef = builder.objectRef<ModelUsage>('ModelUsage').implement({
  description: 'The tokens of one model that messages state in their metadata. A sum is null if no message states it.',
  fields: (t) => ({
    model: t.exposeString('model', {
      nullable: true,
      description: 'Null for messages that state no model; "other" for the models after the first 32.',
    }),
    messages: t.exposeInt('messages', { description: 'Number of messages that state tokens.' }),
    inputTokens: t.exposeFloat('inputTokens', tokens('Tokens of the input, including cached ones.')),
    outputTokens: t.exposeFloat('outputTokens', tokens('Tokens of the output, including reasoning.')),
    reasoningTokens: t.exposeFloat('reasoningTokens', tokens('Tokens of reasoning.')),
    cachedInputTokens: t.exposeFloat('cachedInputTokens', tokens('Tokens of the input that were read from a cache.')),
  }),
});

/** @param stored null for none, or for messages of an older version */
export function usageFrom(stored: string | null): readonly ModelUsage[] {
  return stored === null ? [] : (JSON.parse(stored) as ModelUsage[]);
}
