/** Exports of Chatbot UI: its whole history in versions 1 to 4, as rewritten by version 2, or conversations alone. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, FoundSource } from '../../source-conversation.js';
import { chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, isCount, objectOf, withoutNull } from '../shared/members.js';

export const chatbotUi: ValueReader = {
  name: 'chatbot-ui',
  label: 'Chatbot UI',
  claims: (value) =>
    isHistory(value) ||
    isStored(value) ||
    isCounted(value) ||
    (Array.isArray(value['messages']) && 'folderId' in value),
  *read(value) {
    if (isHistory(value)) yield* readHistory(value['history'], value['folders']);
    else if (isStored(value)) yield* readHistory(stored(value['conversationHistory']), stored(value['folders']));
    else yield readConversation(value, null);
  },
};

function isHistory(value: JsonObject): boolean {
  return Array.isArray(value['history']) && ('folders' in value || 'prompts' in value || 'version' in value);
}

/** The browser's storage with each value as a text, as the newer Chatbot UI offers it for download. */
function isStored(value: JsonObject): boolean {
  return typeof value['conversationHistory'] === 'string';
}

/** Version 1 numbers its conversations, which can be empty. */
export function isCounted({ id, name, messages }: JsonObject): boolean {
  if (typeof id !== 'number' || typeof name !== 'string' || !Array.isArray(messages)) return false;
  return messages.length === 0 || 'role' in objectOf(messages[0]);
}

function stored(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return null;
  }
}

function* readHistory(history: unknown, among: unknown): Generator<FoundSource> {
  const folders = new Map(
    arrayOf(among).map((folder) => [idOf(objectOf(folder)['id']), objectOf(folder)['name']] as const),
  );
  const list = arrayOf(history);
  if (list.length === 0) throw new UnreadableError('its history has no conversations');
  for (const [n, conversation] of list.entries()) {
    if (!isJsonObject(conversation)) throw new UnreadableError(`conversation ${n + 1} of its history is not an object`);
    yield readConversation(conversation, folders.get(idOf(conversation['folderId'])) ?? null);
  }
}

function readConversation(conversation: JsonObject, folder: unknown): FoundSource {
  const { id, name, messages, prompt, ...original } = conversation;
  const conversationId = idOf(id);
  if (conversationId === null) throw new UnreadableError('a conversation has no id');
  const graph = new SourceGraph();
  for (const [n, value] of arrayOf(messages).entries()) {
    const message = objectOf(value);
    const { role, content } = message;
    graph.append({
      id: String(n + 1),
      createdAt: null,
      content: () => chatContent({ message, role, content }, ['role']),
    });
  }
  const model = objectOf(conversation['model'])['id'];
  return foundConversation({
    source: 'chatbot-ui',
    // Version 1 counts the conversations of a browser.
    id: isCount(conversationId) ? null : conversationId,
    formerId: conversationId,
    title: name,
    graph,
    system: prompt,
    details: withoutNull({ model, folder }),
    original,
  });
}
