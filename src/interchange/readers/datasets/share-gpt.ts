/** Conversations in the form of ShareGPT's data sets: who speaks, and a value. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { NodeContent, SourceConversation } from '../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { chatContent } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, contentId, idOf, objectOf, without, type JsonObject } from '../shared/members.js';
import { callPart, toolInput, type ToolCall } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';

/** The members that hold the messages. */
const LISTS = ['conversations', 'conversation', 'items'];

export const shareGpt: ValueReader = {
  name: 'sharegpt',
  label: 'ShareGPT',
  claims: (value) => listIn(value) !== undefined,
  read: (value) => [readConversation(value)],
};

function listIn(value: JsonObject): string | undefined {
  return LISTS.find((name) => {
    const first: unknown = Array.isArray(value[name]) ? (value[name] as unknown[])[0] : null;
    return isJsonObject(first) && 'from' in first && 'value' in first;
  });
}

function readConversation(value: JsonObject): SourceConversation {
  const name = listIn(value) ?? 'conversations';
  const { id, title, ...others } = without(value, name);
  const list = arrayOf(value[name]).map(objectOf);
  const conversationId = idOf(id) ?? contentId(list.slice(0, 2));
  if (conversationId === null || list.length === 0) throw new UnreadableError('it has no messages');
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  let call: ToolCall | null = null;
  for (const [n, message] of list.entries()) {
    const nodeId = idOf(message['id']) ?? String(n + 1);
    if (message['from'] === 'function_call') {
      call = callIn(nodeId, message['value']);
      calls.note([call]);
    }
    const calledBefore: ToolCall | null = call;
    previous = graph.add({
      id: nodeId,
      parent: previous,
      createdAt: null,
      content: () => contentOf(message, nodeId, calledBefore, calls),
    });
  }
  return foundConversation({ source: 'sharegpt', id: conversationId, title, graph, original: others });
}

function contentOf(message: JsonObject, id: string, call: ToolCall | null, calls: Calls): NodeContent {
  const { from, value } = message;
  if (from === 'function_call') {
    const parts = [callPart(callIn(id, value))];
    return { role: 'assistant', parts, original: without(message, 'id'), said: value };
  }
  const known = call === null ? message : { ...message, tool_call_id: call.id };
  const content = chatContent({ message: known, role: from, content: value }, ['id', 'tool_call_id'], calls.above);
  return content;
}

/** A call is text: JSON of a name and its arguments. */
function callIn(id: string, value: unknown): ToolCall {
  const input = toolInput(value);
  const { name, arguments: args } = objectOf(input);
  return { id, name: typeof name === 'string' && name !== '' ? name : 'tool', input: toolInput(args ?? input) };
}
