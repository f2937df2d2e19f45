/** Conversations of ShareGPT's data sets: messages with `from` and `value`; and of HuggingChat, with `from` and `content`. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, identity, idOf, isToolRole, objectOf, without, anyToMs } from '../shared/members.js';
import { callPart, toolInput, type ToolCall } from '../shared/parts.js';
import { systemMember } from '../shared/system-prompt.js';

/** The members that hold the messages. */
const LISTS = ['conversations', 'conversation', 'items', 'messages', 'dialog'];

export const shareGpt: ValueReader = {
  name: 'sharegpt',
  label: 'ShareGPT',
  claims: (value) => listIn(value) !== undefined,
  read: (value) => [readConversation(value)],
};

function listIn(value: JsonObject): string | undefined {
  return LISTS.find((name) => {
    const first: unknown = Array.isArray(value[name]) ? (value[name] as unknown[])[0] : null;
    return isJsonObject(first) && ('human' in first || ('from' in first && ('value' in first || 'content' in first)));
  });
}

function wordsIn({ value, content }: JsonObject): unknown {
  return value ?? content;
}

/** Messages. Some data sets have a question and its answer in one object. */
function messagesIn(list: unknown): JsonObject[] {
  return arrayOf(list)
    .map(objectOf)
    .flatMap((message): JsonObject[] => {
      if (!('human' in message)) return [message];
      const { human, assistant, ...others } = message;
      return [
        { from: 'human', value: human, ...others },
        ...(assistant === undefined ? [] : [{ from: 'gpt', value: assistant }]),
      ];
    });
}

function readConversation(value: JsonObject): FoundSource {
  const name = listIn(value) ?? 'conversations';
  const { id, conversation_id, _id, title, createdAt, updatedAt, ...others } = without(value, name);
  const list = messagesIn(value[name]);
  const own = identity([id, conversation_id, _id], list[0], list.slice(0, 2));
  if (list.length === 0) throw new UnreadableError('it has no messages');
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  /** Calls without a result yet. Each result belongs to the next one. */
  let open: ToolCall[] = [];
  for (const [n, message] of list.entries()) {
    const nodeId = idOf(message['id']) ?? String(n + 1);
    const made = isCall(message) ? callsIn(nodeId, wordsIn(message)) : [];
    if (made.length > 0) open = made;
    calls.note(made);
    const [answered = null] = open;
    if (isToolRole(message['from']) && open.length > 1) open = open.slice(1);
    // HuggingChat's messages name all their ancestors, the parent last.
    const { ancestors } = message;
    previous = graph.add({
      id: nodeId,
      parent: Array.isArray(ancestors) ? (ancestors.at(-1) ?? null) : previous,
      children: message['children'],
      createdAt: anyToMs(message['createdAt']),
      content: () => contentOf(message, made, answered, calls),
    });
  }
  const system = systemMember(others);
  const times = { createTime: createdAt, updateTime: updatedAt };
  return foundConversation({
    source: 'sharegpt',
    ...own,
    title,
    ...times,
    graph,
    system: system === undefined ? null : others[system],
    original: system === undefined ? others : without(others, system),
  });
}

function isCall({ from }: JsonObject): boolean {
  return typeof from === 'string' && /^(function|tool)[-_ ]?calls?$/i.test(from);
}

function contentOf(
  message: JsonObject,
  made: readonly ToolCall[],
  answered: ToolCall | null,
  calls: Calls,
): NodeContent {
  const { from } = message;
  const words = wordsIn(message);
  if (made.length > 0) {
    return { role: 'assistant', parts: made.map(callPart), original: without(message, 'id'), fingerprinted: words };
  }
  const known = answered === null ? message : { ...message, tool_call_id: answered.id };
  const linked = ['id', 'tool_call_id', 'ancestors', 'children'];
  return chatContent(
    { message: known, role: from, content: words, createTime: message['createdAt'] },
    linked,
    calls.above,
  );
}

/** Calls are JSON text: one name with arguments, or a list of them. */
function callsIn(id: string, value: unknown): ToolCall[] {
  const input = toolInput(value);
  return (Array.isArray(input) && input.every(isJsonObject) ? input : [input]).map((each, n) => {
    const { name, arguments: args } = objectOf(each);
    const callId = n === 0 ? id : `${id}.${n}`;
    return {
      id: callId,
      name: typeof name === 'string' && name !== '' ? name : 'tool',
      input: toolInput(args ?? each),
    };
  });
}
