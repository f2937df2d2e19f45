/** The backup of Chatbox: its storage with a member for each session. A thread of a session is a chat, a fork a branch. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, FoundSource, NodeContent } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { dataPart } from '../shared/parts.js';

/** The members with lists of sessions: the older one has their messages, too. */
const LISTS = ['chat-sessions-list', 'chat-sessions'];

export const chatbox: ValueReader = {
  name: 'chatbox',
  label: 'Chatbox',
  claims: (value) => LISTS.some((name) => Array.isArray(value[name])) || sessionNames(value).length > 0,
  *read(value) {
    const listed = LISTS.flatMap((name) => arrayOf(value[name])).map(objectOf);
    const sessions = [...sessionNames(value).map((name) => objectOf(value[name])), ...listed];
    const withMessages = sessions.filter(({ messages }) => Array.isArray(messages));
    if (withMessages.length === 0) throw new UnreadableError('it has no sessions with messages');
    for (const session of withMessages) {
      const forks = new Forks(session['messageForksHash']);
      for (const thread of arrayOf(session['threads']).map(objectOf)) yield readThread(session, thread, forks);
      yield readThread(session, null, forks);
    }
  },
};

function sessionNames(value: JsonObject): string[] {
  return Object.keys(value).filter((name) => name.startsWith('session:') && isJsonObject(value[name]));
}

/** Other continuations after a message. The messages contain that of the position. */
class Forks {
  readonly #open: Map<string, unknown>;

  constructor(forks: unknown) {
    this.#open = new Map(Object.entries(objectOf(forks)));
  }

  /** @param id of the message before them */
  take(id: string): (readonly unknown[])[] {
    const { position, lists } = objectOf(this.#open.get(id));
    this.#open.delete(id);
    return arrayOf(lists).flatMap((list, n) => (n === position ? [] : [arrayOf(objectOf(list)['messages'])]));
  }

  /** Those after messages that the session does not have. */
  takeRest(): (readonly unknown[])[] {
    return [...this.#open.keys()].flatMap((id) => this.take(id)).filter((list) => list.length > 0);
  }
}

/** @param thread an earlier thread; null for the current one, which is read last */
function readThread(session: JsonObject, thread: JsonObject | null, forks: Forks): FoundSource {
  const id = idOf(session['id']);
  if (id === null) throw new UnreadableError('a session has no id');
  const graph = new SourceGraph();
  const calls = new Calls();
  const add = (list: readonly unknown[], parent: string | null): string | null => {
    let previous = parent;
    for (const message of list.map(objectOf)) {
      const known = withParts(message);
      calls.note(callsOf(known, known['content']));
      previous = graph.add({
        id: message['id'],
        parent: previous,
        createdAt: anyToMs(message['timestamp']),
        content: () => contentOf(known, calls),
      });
      for (const other of forks.take(String(message['id']))) open.push({ list: other, parent: previous });
    }
    return previous;
  };
  const open: { list: readonly unknown[]; parent: string | null }[] = [];
  const addOpen = () => {
    for (let item = open.pop(); item !== undefined; item = open.pop()) add(item.list, item.parent);
  };
  const active = add(arrayOf((thread ?? session)['messages']), null);
  addOpen();
  const rest = thread === null ? forks.takeRest() : [];
  for (const list of rest) add(list, null);
  addOpen();
  const { name, threadName, settings, ...others } = without(session, 'id', 'messages', 'threads', 'messageForksHash');
  const threadId = idOf(thread?.['id']);
  return foundConversation({
    source: 'chatbox',
    id: threadId === null ? id : `${id}/${threadId}`,
    title: textOf(thread?.['name'] ?? threadName) ?? name,
    createTime: thread?.['createdAt'],
    graph,
    active,
    original: { settings, ...others },
    warnings: rest.length > 0 ? [`forks after messages that the session does not have: ${rest.length}`] : [],
  });
}

/** A text in older versions, parts in newer ones. Images are keys of the program's storage. */
function withParts(message: JsonObject): JsonObject {
  const { contentParts, ...others } = message;
  if (!Array.isArray(contentParts)) return message;
  const content = contentParts.map((part): unknown => {
    const { type, state, isError = state === 'error', ...block } = objectOf(part);
    if (type === 'info') return { type: 'text', text: block['text'] };
    return type === 'tool-call' ? { type, isError, ...block } : part;
  });
  return { ...others, content };
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { role, content, timestamp: createTime, files, links, pictures, reasoningContent } = message;
  const others = [...arrayOf(files), ...arrayOf(links), ...arrayOf(pictures)].map((each) => dataPart('file', each));
  const known = textOf(reasoningContent) === null ? without(message, 'reasoningContent') : message;
  return chatContent({ message: known, role, content, createTime, others }, ['id', 'role'], calls.above);
}
