/** Messages of LangChain, in the forms in which it writes them. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { arrayOf, objectOf } from './members.js';

const SPEAKERS = new Set<unknown>(['human', 'ai', 'system', 'developer', 'tool', 'function', 'AIMessageChunk']);

/** Who speaks, by the type of the message; null for what has none of LangChain's types. */
export function speakerOf({ type, role }: JsonObject): string | null {
  const speaker = type === 'chat' ? role : SPEAKERS.has(type) ? type : null;
  return typeof speaker === 'string' ? speaker : null;
}

/** A message as it is, or as LangChain writes it: with its members in `kwargs` or `data`. */
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

/** Calls and thoughts that are only where providers put what LangChain has no member for. */
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
  // As it is where it can be: large ones are not held.
  if (!isCalling && !isThinking) return message;
  return {
    ...message,
    ...(isCalling ? { tool_calls: added } : {}),
    ...(isThinking ? { reasoning_content: thoughts } : {}),
  };
}
