/**
 * The history of a thread of LangGraph: its states, the newest first, each with all messages so far. Where two states go
 * on from the same message in different ways, the conversation forks.
 */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader } from '../reader.js';
import type { NodeContent, SourceConversation } from '../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, contentId, idOf, objectOf, withoutNull, type JsonObject } from '../shared/members.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

export const langGraph: LinesReader = {
  name: 'langgraph',
  label: 'LangGraph',
  claims: (value) =>
    isJsonObject(value['values']) && ('config' in value || 'checkpoint' in value || 'checkpoint_id' in value),
  continues: () => false,
  keyOf: (value) => threadOf(value),
  readAll: (states) => [readThread(states)],
};

function threadOf(state: JsonObject): string | null {
  const configured = objectOf(objectOf(state['config'])['configurable']);
  const checkpoint = objectOf(state['checkpoint']);
  return idOf(configured['thread_id'], checkpoint['thread_id'], state['thread_id']);
}

function readThread(states: readonly JsonObject[]): SourceConversation {
  const thread = threadOf(states[0] ?? {});
  if (thread === null) throw new UnreadableError('the state has no thread_id');
  const times = states.map((state) => anyToMs(state['created_at']));
  // Oldest first, as far as they tell: a message gets the time of the state that has it first.
  const order = [...states.keys()].reverse().sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const graph = new SourceGraph();
  const calls = new Calls();
  const nodes = new Map<string, JsonObject>();
  let last: string | null = null;
  for (const n of order) {
    const state = states[n] ?? {};
    let previous: string | null = null;
    for (const value of arrayOf(objectOf(state['values'])['messages'])) {
      const message = plainMessage(value);
      const own: string | null = idOf(message['id']) ?? contentId([previous, message]);
      const id: string = own ?? `${String(previous)}+`;
      // The state that comes last has what a message became.
      const isNew = !nodes.has(id);
      nodes.set(id, message);
      calls.note(callsOf(message, message['content']));
      if (isNew) {
        graph.add({
          id,
          parent: previous,
          createdAt: times[n] ?? null,
          content: () => contentOf(nodes.get(id) ?? {}, calls),
        });
      }
      previous = id;
    }
    last = previous ?? last;
  }
  const newest = states[order.at(-1) ?? 0] ?? {};
  const values = Object.entries(objectOf(newest['values'])).filter(([name]) => name !== 'messages');
  return foundConversation({
    source: 'langgraph',
    id: thread,
    title: null,
    createTime: states[order[0] ?? 0]?.['created_at'],
    updateTime: newest['created_at'],
    graph,
    active: last,
    details: { states: states.length },
    original: withoutNull({ values: Object.fromEntries(values), metadata: newest['metadata'], next: newest['next'] }),
  });
}

/** A message as it is, or as LangChain writes it: with its members in `kwargs` or `data`. */
function plainMessage(value: unknown): JsonObject {
  const message = objectOf(value);
  const { id, kwargs, data, type } = message;
  if (isJsonObject(kwargs)) {
    const name: unknown = Array.isArray(id) ? id.at(-1) : null;
    const kind = typeof name === 'string' ? name.replace(/Message(Chunk)?$/, '').toLowerCase() : type;
    return { type: kind, ...kwargs };
  }
  return isJsonObject(data) ? { type, ...data } : message;
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { type, role, content } = message;
  return chatContent({ message, role: type ?? role, content }, ['id'], calls.above);
}
