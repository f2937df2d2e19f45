/** LangChain messages in each form in which LangChain serializes them. */
import { isJsonObject, type JsonObject } from '../../file-values.js';
import { arrayOf, objectOf } from './members.js';

const SPEAKERS = new Set<unknown>(['human', 'ai', 'system', 'developer', 'tool', 'function', 'AIMessageChunk']);

/** The speaker by the type of the message; null for types that are not LangChain's. */
export function speakerOf({ type, role }: JsonObject): string | null {
  const speaker = type === 'chat' ? role : SPEAKERS.has(type) ? type : null;
  return typeof speaker === 'string' ? speaker : null;
}

/** A message as it is, or with its members in `kwargs` or `data`. */
export function plainMessage(value: unknown): JsonObject {
  const message = objectOf(value);
  const { id, kwargs, data, type } = message;
  if (isJsonObject(kwargs)) {
    const name: unknown = Array.isArray(id) ? id.at(-1) : null;
    const kind = typeof name === 'string' ? name.replace(/Message(Chunk)?$/, '').toLowerCase() : type;
    return { type: kind, ...kwargs };
  }
  return isJsonObject(data) && !('content' in message) ? { type, ...data } : message;
}

/** Adds calls and reasoning that LangChain keeps only in provider-specific members. */
export function withAdditional(message: JsonObject): JsonObject {
  const {
    tool_calls: calls,
    function_call: call,
    reasoning_content: thoughts,
  } = objectOf(message['additional_kwargs']);
  const hasCalls = arrayOf(message['tool_calls']).length > 0;
  const added = arrayOf(calls).length > 0 ? calls : isJsonObject(call) ? [call] : undefined;
  const isCalling = !hasCalls && added !== undefined;
  const isThinking = thoughts !== undefined && !('reasoning_content' in message);
  // Return the message unchanged where possible: a copy keeps a large message in memory.
  if (!isCalling && !isThinking) return message;
  return {
    ...message,
    ...(isCalling ? { tool_calls: added } : {}),
    ...(isThinking ? { reasoning_content: thoughts } : {}),
  };
}
