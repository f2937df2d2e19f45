/** A model at an endpoint with the protocol of OpenAI's chat completions. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, convertToModelMessages, generateText, streamText, type UIMessage } from 'ai';
import { isUIMessage } from '@parley/context';
import { messageOf } from './output.js';
import type { AnswerModel } from './model.js';
import type { ChainMessage } from './parley-server.js';

export interface EndpointOptions {
  baseURL: string;
  model: string;
  apiKey: string | undefined;
  /** The system prompt. */
  system: string | undefined;
  maxOutputTokens: number;
}

const MAX_TITLE_TOKENS = 400;
const TITLE_TIMEOUT_MS = 60_000;
const TITLE_QUESTION_LENGTH = 2_000;
const TITLE_PROMPT =
  'Write a title of at most six words for a conversation that begins with this message. Reply with the title only.';

export function endpointModel({ baseURL, model: name, apiKey, system, maxOutputTokens }: EndpointOptions): AnswerModel {
  const provider = createOpenAICompatible({ name: 'endpoint', baseURL, ...(apiKey !== undefined && { apiKey }) });
  const model = provider(name);
  return {
    name,
    async *answer(messages, abortSignal) {
      const prompt = await convertToModelMessages(toUIMessages(messages), { ignoreIncompleteToolCalls: true });
      const result = streamText({
        model,
        messages: prompt,
        ...(system !== undefined && { system }),
        maxOutputTokens,
        abortSignal,
        // The process retries, and does not write errors to the console here.
        maxRetries: 0,
        onError: () => {},
        allowSystemInMessages: true,
      });
      yield* result.toUIMessageStream({ onError: endpointError });
    },
    title: async (question, signal) => {
      const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(TITLE_TIMEOUT_MS)]);
      const prompt = `${TITLE_PROMPT}\n\n${question.slice(0, TITLE_QUESTION_LENGTH)}`;
      const { text } = await generateText({
        model,
        prompt,
        abortSignal,
        maxOutputTokens: MAX_TITLE_TOKENS,
        maxRetries: 0,
      });
      return text;
    },
  };
}

/** The error as one line: an endpoint that is down, a model that does not exist, a refused key. */
function endpointError(error: unknown): string {
  if (!APICallError.isInstance(error)) return messageOf(error);
  const { statusCode, url, message, cause } = error;
  const reason = statusCode === undefined ? messageOf(cause ?? message) : `status ${statusCode}: ${message}`;
  return `${url} failed: ${reason}`;
}

/** The messages that a model can be given, from the first user's message on. */
function toUIMessages(messages: readonly ChainMessage[]): UIMessage[] {
  const readable = messages.flatMap((message) => toUIMessage(message) ?? []);
  const first = readable.findIndex(({ role }) => role === 'user');
  return readable.filter(({ role }, index) => index >= first || role === 'system');
}

function toUIMessage({ id, name, data, text }: ChainMessage): UIMessage | null {
  if (isUIMessage(data)) {
    const parts = (data.parts as UIMessage['parts']).flatMap(withoutLinks);
    const isEmpty = parts.every((part) => (part.type === 'text' || part.type === 'reasoning') && part.text === '');
    return isEmpty ? null : { id, role: data.role, parts };
  }
  if (text === '' || (name !== 'user' && name !== 'assistant' && name !== 'system')) return null;
  return { id, role: name, parts: [{ type: 'text', text }] };
}

/** The SDK would download linked files from this machine, which reaches more than the user does. */
function withoutLinks(part: UIMessage['parts'][number]): UIMessage['parts'] {
  if (part.type !== 'file') return [part];
  if (part.url.startsWith('data:') && part.mediaType.startsWith('image/')) return [part];
  return [{ type: 'text', text: `[file: ${part.filename ?? part.mediaType}]` }];
}
