/** The model, the tokens and the end that a message's data name. Stored data is any JSON: each field is checked. */

/** Maximum length of a model's name in characters. */
const MAX_NAME_LENGTH = 100;

export interface MessageFacts {
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Whether it ended early: a user stopped it, or its writer failed. */
  isIncomplete: boolean;
  /** The error that ended it. */
  failure: string | null;
}

/** @param data of a message, or null @param draftMetadata of a draft that has no data yet */
export function factsOf(data: unknown, draftMetadata: unknown = null): MessageFacts {
  const metadata = { ...recordOf(recordOf(data)['metadata']), ...recordOf(draftMetadata) };
  const original = recordOf(metadata['original']);
  const usage = recordOf(metadata['usage'] ?? metadata['totalUsage']);
  const names = [
    metadata['model'],
    metadata['modelId'],
    original['model'],
    recordOf(original['metadata'])['model_slug'],
  ];
  const name = names.find((each) => typeof each === 'string' && each !== '');
  const failure = metadata['failure'];
  return {
    model: typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : null,
    inputTokens: countOf(usage['inputTokens'] ?? usage['input_tokens'] ?? usage['prompt_tokens']),
    outputTokens: countOf(usage['outputTokens'] ?? usage['output_tokens'] ?? usage['completion_tokens']),
    isIncomplete: metadata['status'] === 'incomplete',
    failure: typeof failure === 'string' && failure !== '' ? failure : null,
  };
}

const countOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
