/** Messages as most programs have them: who speaks, a text or blocks, calls of tools and their results. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import type { MessagePart, NodeContent, Role } from '../source-conversation.js';
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

/** Who speaks; what is neither a user's nor the system's is the assistant's. */
export function roleOf(...names: readonly unknown[]): Role {
  const name = names.map(textOf).find((each) => each !== null);
  return ROLES.get(name?.toLowerCase() ?? '') ?? 'assistant';
}

export interface ChatMessage {
  /** Its members that are kept as the original, when they are not carried by others: all but ids and links. */
  readonly message: JsonObject;
  readonly role: unknown;
  /** Text or blocks. */
  readonly content: unknown;
  readonly createTime?: unknown;
  /** Parts of what else it has, behind the others. */
  readonly others?: readonly MessagePart[];
}

/** @param linked members of the message that the graph carries */
export function chatContent(
  { message, role, content, createTime, others = [] }: ChatMessage,
  linked: readonly string[],
  above: CallsAbove = () => undefined,
): NodeContent {
  const spoken = content ?? message['refusal'] ?? objectOf(message['audio'])['transcript'] ?? null;
  const said = isToolRole(role) ? [toolResult(message, content, above)] : blockParts(withCalls(message, spoken), above);
  const original = without(message, ...linked);
  const [only] = said;
  const isCarried = typeof content === 'string' && said.length === 1 && only?.['text'] === content;
  const parts = [...thoughtsIn(message), ...said, ...others];
  // Results of tools are the assistant's, whoever hands them over.
  const isResult = said.length > 0 && said.every((part) => part.type === 'dynamic-tool');
  return {
    role: isToolRole(role) || isResult ? 'assistant' : roleOf(role),
    parts: parts.length > 0 ? parts : failureOf(message),
    createTime,
    original: isCarried ? withoutText(original, content) : original,
    said: [spoken, message['tool_calls'] ?? message['toolCalls'] ?? message['function_call'] ?? null],
  };
}

/** What a message says: the parts that those of the AI SDK have, in its version 4 beside a text, or Gemini's; else the content. */
export function contentOf(message: JsonObject): unknown {
  const { parts, content } = message;
  return Array.isArray(parts) && (parts.length > 0 || content === undefined) ? parts : content;
}

/** The calls that a message makes, for the results that come later. */
export function callsOf(message: JsonObject, content: unknown): ToolCall[] {
  return callsIn(withCalls(message, content));
}

/** The content with the calls behind it, without those that it has already. */
function withCalls(message: JsonObject, content: unknown): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content ?? null];
  const calls = callBlocks(message);
  const said = new Set(calls.length === 0 ? [] : callsIn(blocks).map(({ id }) => id));
  return [...blocks, ...calls.filter((call) => callsIn([call]).every(({ id }) => !said.has(id)))];
}

/** What went wrong, where a message says nothing else. */
function failureOf(message: JsonObject): MessagePart[] {
  const failure = message['errorMessage'] ?? message['error'] ?? objectOf(message['status'])['error'];
  return failure == null || failure === '' ? [] : [dataPart('error', failure)];
}

/** Calls in a list of their own: of OpenAI's shape, and of LangChain's, which has no type; or the one call of 2023. */
function callBlocks(message: JsonObject): unknown[] {
  const { tool_calls: calls, toolCalls, function_call: only } = message;
  const list = isJsonObject(only) ? [only] : arrayOf(calls ?? toolCalls);
  return list.map((call) => ({ ...(call as JsonObject | null), type: 'function_call' }));
}

/** Thoughts beside what is said, under the first of their names that has some. */
function thoughtsIn(message: JsonObject): MessagePart[] {
  const { reasoning_content, reasoningContent, reasoning, thinking, reasoning_details: details } = message;
  const said = [reasoning_content, reasoningContent, reasoning, thinking].find((each) => textOf(each) !== null);
  return reasoningParts(...(said === undefined ? arrayOf(details).map((each) => objectOf(each)['text']) : [said]));
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
