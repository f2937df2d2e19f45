/** The call of a model through the AI SDK, which is an optional peer. */
import type * as Sdk from 'ai';
import { ContextError } from '../errors.js';
import type { ChunkSource } from '../streaming/chunk-source.js';
import { maskedText } from './answer-error.js';
import type { AnswerCall, AnswerHandlerOptions } from './answer-options.js';

const DEFAULT_MAX_STEPS = 20;

async function loadSdk(): Promise<typeof Sdk> {
  try {
    // In a try block, bundlers take a package that is not installed for optional.
    return await import('ai');
  } catch (cause) {
    throw new ContextError('INTERNAL', 'The option model needs the package ai: install it, or give stream', null, {
      cause,
    });
  }
}

/**
 * The source of answers, by the options of a handler.
 * @throws ContextError unless there is exactly one of model and stream
 */
export function answerSource(options: AnswerHandlerOptions): (call: AnswerCall) => Promise<ChunkSource<unknown>> {
  const { model, stream } = options;
  if (stream !== undefined) return async (call) => stream(call);
  if (model === undefined) throw new ContextError('INVALID_INPUT', 'model or stream must be given', 'model');
  const sdk = loadSdk();
  // The first request reports it.
  sdk.catch(() => {});
  return async (call) => askModel(await sdk, model, call, options);
}

async function askModel(
  { convertToModelMessages, stepCountIs, streamText }: typeof Sdk,
  model: NonNullable<AnswerHandlerOptions['model']>,
  { messages, systemPrompt, signal }: AnswerCall,
  { tools, stopWhen, maxSteps = DEFAULT_MAX_STEPS, settings, onError }: AnswerHandlerOptions,
): Promise<ReadableStream<Sdk.UIMessageChunk>> {
  const result = streamText({
    ...settings,
    model,
    // A call without a result, as in an imported chat, stays in the chat, and providers refuse it.
    messages: await convertToModelMessages(messages as Sdk.UIMessage[], {
      ignoreIncompleteToolCalls: true,
      ...(tools && { tools }),
    }),
    ...(systemPrompt !== '' && { system: systemPrompt }),
    ...(tools && { tools }),
    stopWhen: stopWhen ?? stepCountIs(maxSteps),
    abortSignal: signal,
    // Reported once, below.
    onError: () => {},
  });
  return result.toUIMessageStream({ onError: (error) => maskedText(error, onError) });
}
