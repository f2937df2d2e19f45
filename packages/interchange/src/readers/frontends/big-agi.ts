/** Chats of big-AGI: of version 1 with a text for each message, of version 2 with fragments. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { callPart, dataPart, reasoningParts, textParts, toolInput } from '../shared/parts.js';

export const bigAgi: ValueReader = {
  name: 'big-agi',
  label: 'big-AGI',
  claims: (value) => Array.isArray(value['messages']) && 'systemPurposeId' in value,
  read: (value) => [readChat(value)],
};

function readChat(chat: JsonObject): FoundSource {
  const { id, messages, userTitle, autoTitle, created, updated, ...original } = chat;
  const chatId = idOf(id);
  if (chatId === null) throw new UnreadableError('the chat has no id');
  const graph = new SourceGraph();
  for (const message of arrayOf(messages).map(objectOf)) {
    const createTime = message['created'];
    const content = () => contentOf(message, createTime);
    graph.append({ id: message['id'], createdAt: anyToMs(createTime), content });
  }
  return foundConversation({
    source: 'big-agi',
    id: chatId,
    title: textOf(userTitle) ?? autoTitle,
    createTime: created,
    updateTime: updated,
    graph,
    active: graph.last,
    original,
  });
}

function contentOf(message: JsonObject, createTime: unknown): NodeContent {
  const { role, text, fragments } = message;
  const parts = Array.isArray(fragments) ? fragments.flatMap((each) => fragmentParts(objectOf(each))) : textParts(text);
  const original = without(message, 'id', 'role', ...(Array.isArray(fragments) ? [] : ['text']));
  return { role: roleOf(role), parts, createTime, original, fingerprinted: fragments ?? text ?? null };
}

function fragmentParts({ part, title }: JsonObject): MessagePart[] {
  const { pt, text, aText, error, data, id, invocation } = objectOf(part);
  switch (pt) {
    case 'text':
      return textParts(text);
    case 'error':
      return textParts(error);
    case 'ma':
      return reasoningParts(aText);
    case 'ph':
      return [];
    case 'doc':
      return textOf(objectOf(data)['text']) === null
        ? [dataPart('doc', part)]
        : [dataPart('doc', { title, ...objectOf(part) })];
    case 'tool_invocation': {
      const { name, args, code, type } = objectOf(invocation);
      return [
        callPart({
          id: idOf(id) ?? 'call',
          name: textOf(name) ?? textOf(type) ?? 'tool',
          input: toolInput(args ?? code),
        }),
      ];
    }
    default:
      return isJsonObject(part) ? [dataPart(textOf(pt) ?? 'fragment', part)] : [];
  }
}
