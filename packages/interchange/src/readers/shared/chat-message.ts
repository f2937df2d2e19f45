/** Messages in the form of most programs: a role, a text or blocks, tool calls and their results. */
import { isJsonObject, type JsonObject } from '../../file-values.js';
import type { MessagePart, NodeContent, Role } from '../../source-conversation.js';
import { blockParts, callsIn, resultOf, type CallsAbove } from './blocks.js';
import { arrayOf, idOf, isToolRole, objectOf, textOf, without } from './members.js';
import { dataPart, reasoningParts, toolPart, type ToolCall } from './parts.js';

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['user', 'user'],
  ['human', 'user'],
  ['humanmessage', 'user'],
  ['prompter', 'user'],
  ['system', 'system'],
  ['systemmessage', 'system'],
  ['developer', 'system'],
]);

/** The role of a message. Everything that is neither the user's nor the system's is the assistant's. */
export function roleOf(...names: readonly unknown[]): Role {
  const name = names.map(textOf).find((each) => each !== null);
  return ROLES.get(name?.toLowerCase() ?? '') ?? 'assistant';
}

export interface ChatMessage {
  /** The message without ids and links. Members that the parts do not carry are kept as the original. */
  readonly message: JsonObject;
  readonly role: unknown;
  /** Text or blocks. */
  readonly content: unknown;
  readonly createTime?: unknown;
  /** Parts of other members, appended after the content. */
  readonly others?: readonly MessagePart[];
}

/** @param linked members of the message that the graph carries */
export function chatContent(
  { message, role, content, createTime, others = [] }: ChatMessage,
  linked: readonly string[],
  above: CallsAbove = () => undefined,
): NodeContent {
  const shownContent = content ?? message['refusal'] ?? objectOf(message['audio'])['transcript'] ?? null;
  const ownParts = isToolRole(role)
    ? [toolResult(message, content, above)]
    : blockParts(withCalls(message, shownContent), above);
  const original = without(message, ...linked);
  const [only] = ownParts;
  const isCarried = typeof content === 'string' && ownParts.length === 1 && only?.['text'] === content;
  const parts = [...thoughtsIn(message), ...ownParts, ...others];
  // The assistant owns tool results, whichever role the file gives them.
  const isResult = ownParts.length > 0 && ownParts.every((part) => part.type === 'dynamic-tool');
  return {
    role: isToolRole(role) || isResult ? 'assistant' : roleOf(role),
    parts: parts.length > 0 ? parts : failureOf(message),
    createTime,
    original: isCarried ? withoutText(original, content) : original,
    fingerprinted: [shownContent, message['tool_calls'] ?? message['toolCalls'] ?? message['function_call'] ?? null],
  };
}

/**
 * The content of a message: the parts of the AI SDK or Gemini, which AI SDK 4 stores next to a text, or else the
 * content.
 */
export function contentOf(message: JsonObject): unknown {
  const { parts, content } = message;
  return Array.isArray(parts) && (parts.length > 0 || content === undefined) ? parts : content;
}

/** The content under any name: `content`, `parts`, a `text`, or a text in `message`. Undefined for none. */
export function anyContentOf(message: JsonObject): unknown {
  return contentOf(message) ?? textOf(message['text']) ?? textOf(message['message']) ?? undefined;
}

/** The calls that a message makes, which later results refer to. */
export function callsOf(message: JsonObject, content: unknown): ToolCall[] {
  return callsIn(withCalls(message, content));
}

/** The content followed by the calls that it does not contain already. */
function withCalls(message: JsonObject, content: unknown): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content ?? null];
  const calls = callBlocks(message);
  const knownIds = new Set(calls.length === 0 ? [] : callsIn(blocks).map(({ id }) => id));
  return [...blocks, ...calls.filter((call) => callsIn([call]).every(({ id }) => !knownIds.has(id)))];
}

/** The error of a message without other content. */
function failureOf(message: JsonObject): MessagePart[] {
  const failure = message['errorMessage'] ?? message['error'] ?? objectOf(message['status'])['error'];
  return failure == null || failure === '' ? [] : [dataPart('error', failure)];
}

/** Calls in a list of their own: OpenAI's, LangChain's without a type, or the single call of 2023. */
function callBlocks(message: JsonObject): unknown[] {
  const { tool_calls: calls, toolCalls, function_call: only } = message;
  const list = isJsonObject(only) ? [only] : arrayOf(calls ?? toolCalls);
  return list.map((call) => ({ ...(call as JsonObject | null), type: 'function_call' }));
}

/** Reasoning under the first of its names that has a text. */
function thoughtsIn(message: JsonObject): MessagePart[] {
  const { reasoning_content, reasoningContent, reasoning, thinking, reasoning_details: details } = message;
  const text = [reasoning_content, reasoningContent, reasoning, thinking].find((each) => textOf(each) !== null);
  return reasoningParts(...(text === undefined ? arrayOf(details).map((each) => objectOf(each)['text']) : [text]));
}

function toolResult(message: JsonObject, content: unknown, above: CallsAbove): MessagePart {
  const id = idOf(message['tool_call_id'], message['toolCallId'], message['call_id']) ?? 'call';
  const name = textOf(message['toolName']) ?? textOf(message['name']) ?? 'tool';
  const failed = message['isError'] === true || message['status'] === 'error';
  return toolPart(above(id) ?? { id, name, input: {} }, resultOf({ content, isError: failed }));
}

/** Without the member that the text part carries. */
function withoutText(original: JsonObject, text: string): JsonObject {
  const name = ['content', 'text', 'message', 'value', 'mes'].find((each) => original[each] === text);
  return name === undefined ? original : without(original, name);
}

/** The tool calls of a conversation by their ids. Readers note them in order, so that later results find their call. */
export class Calls {
  readonly #calls = new Map<string, ToolCall>();

  note(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#calls.set(call.id, call);
  }

  readonly above = (id: string): ToolCall | undefined => this.#calls.get(id);
}
