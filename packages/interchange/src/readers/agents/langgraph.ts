/**
 * The history of a LangGraph thread: its states, newest first, each with all messages up to it. The conversation forks
 * where two states continue from the same message.
 */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { besideMain, foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, contentId, idOf, objectOf, textOf, without, withoutNull, anyToMs } from '../shared/members.js';
import { plainMessage, speakerOf, withAdditional } from '../shared/langchain-message.js';

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
  const messages = new ThreadMessages();
  // A file can have the states of a subgraph alone.
  const isInMain = (n: number) => !isSubgraph(states[n] ?? {});
  const isMixed = order.some(isInMain);
  const main = isMixed ? order.filter(isInMain) : order;
  const heads = main.map((n) => ({ time: times[n] ?? 0, head: messages.add(states[n] ?? {}, times[n] ?? null, null) }));
  const active = heads.findLast(({ head }) => head !== null)?.head ?? null;
  const inMain = messages.count;
  for (const n of order) {
    if (!isMixed || isInMain(n)) continue;
    const above = heads.findLast(({ time, head }) => head !== null && time <= (times[n] ?? 0))?.head ?? active;
    messages.add(states[n] ?? {}, times[n] ?? null, above);
  }
  const beside = messages.count - inMain;
  const newest = states[main.at(-1) ?? 0] ?? {};
  const values = objectOf(valuesOf(newest));
  return foundConversation({
    source: 'langgraph',
    id: thread,
    title: null,
    createTime: timeOf(states[order[0] ?? 0] ?? {}),
    updateTime: newest['updated_at'] ?? timeOf(newest),
    graph: messages.graph,
    active,
    details: { states: states.length },
    original: withoutNull({
      values: without(values, messagesMember(values)),
      metadata: newest['metadata'],
      next: newest['next'],
    }),
    warnings: beside > 0 ? [besideMain(beside, 'subgraphs wrote them')] : [],
  });
}

/** Whether a state is that of a graph within the graph, whose messages can be other ones. */
function isSubgraph(state: JsonObject): boolean {
  const configured = objectOf(objectOf(state['config'])['configurable']);
  const { checkpoint_ns: own } = objectOf(state['checkpoint']);
  return textOf(configured['checkpoint_ns'] ?? own ?? state['checkpoint_ns']) !== null;
}

interface Version {
  readonly node: string;
  readonly parent: string | null;
  /** The fingerprint of its text and calls. */
  readonly content: string | null;
}

/** The messages of all states. A message whose text changes under its id becomes siblings. */
class ThreadMessages {
  readonly graph = new SourceGraph();
  readonly #calls = new Calls();
  readonly #versions = new Map<string, Version[]>();
  /** The message of each node, as its newest state has it. */
  readonly #messages = new Map<string, JsonObject>();
  /** The id of the message of each node. */
  readonly #ids = new Map<string | null, string>();

  get count(): number {
    return this.#messages.size;
  }

  /**
   * @param above the node that the first message follows
   * @returns the node of the state's last message; null without messages
   */
  add(state: JsonObject, createdAt: number | null, above: string | null): string | null {
    let previous = above;
    let last: string | null = null;
    for (const value of messagesIn(valuesOf(state))) {
      const plain = plainMessage(value);
      const id = idOf(plain['id']) ?? contentId([previous, plain]) ?? `${String(previous)}+`;
      const message = withAdditional(plain);
      this.#calls.note(callsOf(message, message['content']));
      previous = last = this.#nodeOf(id, message, previous, createdAt);
    }
    return last;
  }

  #nodeOf(id: string, message: JsonObject, previous: string | null, createdAt: number | null): string {
    const versions = this.#versions.get(id) ?? [];
    const content = contentId([message['content'], message['tool_calls'] ?? null]);
    const parentId = this.#ids.get(previous);
    // States can lack the messages before it, or have others in between: only an edit of its parent makes another message.
    const known = versions.find(
      ({ content: other, parent }) => other === content && (parent === previous || this.#ids.get(parent) !== parentId),
    );
    const node = known?.node ?? (versions.length === 0 ? id : `${id}#${versions.length + 1}`);
    this.#messages.set(node, message);
    if (known !== undefined) return node;
    // A new text of the message has the place of the text before.
    const parent = previous ?? versions.at(-1)?.parent ?? null;
    this.#versions.set(id, [...versions, { node, parent, content }]);
    this.#ids.set(node, id);
    this.graph.add({
      id: node,
      parent,
      createdAt,
      content: () => contentOf(this.#messages.get(node) ?? {}, this.#calls),
    });
    return node;
  }
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { role, type, content } = message;
  return chatContent({ message, role: speakerOf(message) ?? type ?? role, content }, ['id'], calls.above);
}
