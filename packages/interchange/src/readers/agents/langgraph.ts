/**
 * The history of a LangGraph thread: its states, newest first, each with all messages up to it. The conversation forks
 * where two states continue from the same message.
 */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader } from '../reader.js';
import type { NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, contentId, idOf, objectOf, without, withoutNull } from '../shared/members.js';
import { plainMessage, speakerOf, withAdditional } from '../shared/langchain-message.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

export const langGraph: LinesReader = {
  name: 'langgraph',
  label: 'LangGraph',
  claims: (value) =>
    ('values' in value && STATES.some((name) => name in value)) ||
    isJsonObject(objectOf(value['checkpoint'])['channel_values']),
  continues: () => false,
  keyOf: (value) => threadOf(value),
  readAll: (states) => [readThread(states)],
};

/** Members that locate a state. The last one is that of a whole thread in the API. */
const STATES = ['config', 'checkpoint', 'checkpoint_id', 'thread_id'];
/** The members of a state in Python's order: its tuple becomes an array in JSON. */
const FIELDS = ['values', 'next', 'config', 'metadata', 'created_at', 'parent_config', 'tasks', 'interrupts'];

/** Converts a state in an array to an object with the members' names; null for other values. */
export function stateInArray(value: unknown): JsonObject | null {
  if (!Array.isArray(value) || value.length < 6 || !isJsonObject(objectOf(value[2])['configurable'])) return null;
  return Object.fromEntries(FIELDS.map((name, n) => [name, (value as unknown[])[n] ?? null]));
}

function threadOf(state: JsonObject): string | null {
  const configured = objectOf(objectOf(state['config'])['configurable']);
  const checkpoint = objectOf(state['checkpoint']);
  return idOf(configured['thread_id'], checkpoint['thread_id'], state['thread_id']);
}

/** The names in Python, in JavaScript, and in saved checkpoints. */
function timeOf(state: JsonObject): unknown {
  return state['created_at'] ?? state['createdAt'] ?? objectOf(state['checkpoint'])['ts'];
}

function valuesOf(state: JsonObject): unknown {
  return state['values'] ?? objectOf(state['checkpoint'])['channel_values'];
}

/** The member with the messages: a graph can use another name. */
function messagesMember(values: JsonObject): string {
  const isMessage = (each: unknown) => {
    const { content, role, type } = plainMessage(each);
    return content !== undefined && typeof (role ?? type) === 'string';
  };
  const holds = (name: string) => {
    const list = arrayOf(values[name]);
    return list.length > 0 && list.every(isMessage);
  };
  return 'messages' in values ? 'messages' : (Object.keys(values).find(holds) ?? 'messages');
}

function messagesIn(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : arrayOf(objectOf(values)[messagesMember(objectOf(values))]);
}

function readThread(states: readonly JsonObject[]): FoundSource {
  const thread = threadOf(states[0] ?? {});
  if (thread === null) throw new UnreadableError('the state has no thread_id');
  const times = states.map((state) => anyToMs(timeOf(state)));
  // Oldest first, as far as times are known: a message gets the time of the first state that has it.
  const order = [...states.keys()].reverse().sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const graph = new SourceGraph();
  const calls = new Calls();
  const nodes = new Map<string, JsonObject>();
  let last: string | null = null;
  for (const n of order) {
    const state = states[n] ?? {};
    let previous: string | null = null;
    for (const value of messagesIn(valuesOf(state))) {
      const plain = plainMessage(value);
      const own: string | null = idOf(plain['id']) ?? contentId([previous, plain]);
      const message = withAdditional(plain);
      const id: string = own ?? `${String(previous)}+`;
      // The last state has the final version of a message.
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
  const values = objectOf(valuesOf(newest));
  return foundConversation({
    source: 'langgraph',
    id: thread,
    title: null,
    createTime: timeOf(states[order[0] ?? 0] ?? {}),
    updateTime: newest['updated_at'] ?? timeOf(newest),
    graph,
    active: last,
    details: { states: states.length },
    original: withoutNull({
      values: without(values, messagesMember(values)),
      metadata: newest['metadata'],
      next: newest['next'],
    }),
  });
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { role, type, content } = message;
  return chatContent({ message, role: speakerOf(message) ?? type ?? role, content }, ['id'], calls.above);
}
