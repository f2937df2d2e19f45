/** Exports of LobeChat: all messages of an account or a session, which name their topic, in the form of browsers and of servers. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { besideMain, foundConversation, titleFromFirstUser, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, isToolRole, objectOf, textOf, withoutNull, anyToMs, timeOf } from '../shared/members.js';
import { reasoningParts, sourceParts, toolInput, type ToolCall } from '../shared/parts.js';

/** The places of the messages of a topic of LobeHub: answers beside each other, results of parallel calls, and threads. */
class TopicPath {
  /** The last message of each thread. */
  readonly #last = new Map<string, string>();
  /** The last result of each message with calls, and the message with the calls of each result. */
  readonly #lastResult = new Map<string, string>();
  readonly #caller = new Map<string, string>();
  /** The answer that is shown after a message with several. */
  readonly #shown = new Map<string, string>();
  /** Messages that are not shown, because another answer is. */
  readonly #beside = new Set<string>();
  #head: string | null = null;
  #inThreads = 0;

  /**
   * @param messages in the order of their times
   * @param threads by their ids
   */
  constructor(
    messages: readonly JsonObject[],
    readonly threads: ReadonlyMap<string, JsonObject>,
  ) {
    const answers = new Map<string, string[]>();
    for (const message of messages) {
      const [id, parent] = [idOf(message['id']), idOf(message['parentId'])];
      if (id === null || parent === null || isToolRole(message['role']) || idOf(message['threadId']) !== null) continue;
      const siblings = answers.get(parent);
      if (siblings === undefined) answers.set(parent, [id]);
      else siblings.push(id);
    }
    for (const { id, metadata } of messages) {
      const { activeBranchIndex: index } = objectOf(metadata);
      const shown = typeof index === 'number' ? answers.get(idOf(id) ?? '')?.[index] : undefined;
      if (shown !== undefined) this.#shown.set(idOf(id) ?? '', shown);
    }
  }

  /** The last message that is shown; null if all messages are in threads. */
  get head(): string | null {
    return this.#head;
  }

  /** The number of messages in threads. */
  get inThreads(): number {
    return this.#inThreads;
  }

  /** The message before this one: of its thread, at first the one that the thread starts from. */
  previousOf(message: JsonObject): string | null {
    const thread = idOf(message['threadId']);
    if (thread === null) return this.#head;
    return this.#last.get(thread) ?? idOf(this.threads.get(thread)?.['sourceMessageId']) ?? this.#head;
  }

  /** Results of parallel calls follow one another, and the next answer follows the last of them. */
  parentOf(message: JsonObject): string | null {
    const named = idOf(message['parentId']);
    if (named === null) return this.previousOf(message);
    if (idOf(message['threadId']) !== null) return named;
    return this.#lastResult.get(this.#caller.get(named) ?? named) ?? named;
  }

  /** @param node the message's node */
  add(message: JsonObject, node: string): void {
    const [thread, named] = [idOf(message['threadId']), idOf(message['parentId'])];
    if (thread !== null) {
      this.#last.set(thread, node);
      this.#inThreads++;
      return;
    }
    const shown = isToolRole(message['role']) ? undefined : this.#shown.get(named ?? '');
    const isOther = shown !== undefined && shown !== idOf(message['id']);
    if (isOther || this.#beside.has(this.parentOf(message) ?? '')) this.#beside.add(node);
    else this.#head = node;
    if (named === null || !isToolRole(message['role'])) return;
    const caller = this.#caller.get(named) ?? named;
    this.#lastResult.set(caller, node);
    this.#caller.set(node, caller);
  }
}

export const lobeChat: ValueReader = {
  name: 'lobe-chat',
  label: 'LobeChat',
  claims: (value) => {
    const messages = stateOf(value)?.['messages'];
    return Array.isArray(messages) && 'role' in objectOf(messages[0]);
  },
  *read(value) {
    const { messages, topics, sessions, agents, chatGroups, messagePlugins, threads, agentsToSessions } =
      stateOf(value) ?? {};
    const about = byId(agents, chatGroups, sessions, topics);
    const agentOf = new Map(
      arrayOf(agentsToSessions)
        .map(objectOf)
        .map((row) => [row['sessionId'], row['agentId']]),
    );
    const tables = { plugins: byId(messagePlugins), threads: byId(threads), about, agentOf };
    for (const [id, list] of grouped(arrayOf(messages).map(objectOf))) {
      yield readTopic(id, list, tables);
    }
  },
};

/** The exported tables: in `state` from browsers, in `data` from servers. */
function stateOf(value: JsonObject): JsonObject | null {
  if (isJsonObject(value['state']) && 'exportType' in value) return value['state'];
  return isJsonObject(value['data']) && 'schemaHash' in value ? value['data'] : null;
}

interface Tables {
  /** The calls that messages of tools answer. */
  readonly plugins: ReadonlyMap<string, JsonObject>;
  readonly threads: ReadonlyMap<string, JsonObject>;
  /** Agents, groups, sessions and topics. */
  readonly about: ReadonlyMap<string, JsonObject>;
  /** The agent of each session, by their ids. */
  readonly agentOf: ReadonlyMap<unknown, unknown>;
}

function byId(...tables: readonly unknown[]): Map<string, JsonObject> {
  return new Map(
    tables
      .flatMap(arrayOf)
      .map(objectOf)
      .map((row) => [String(row['id']), row]),
  );
}

/** The session of messages that name none, in each installation. */
const INBOX = 'inbox';

/** By topic; messages without one by their session, group or agent. */
function grouped(messages: readonly JsonObject[]): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>();
  for (const message of messages) {
    const { topicId, sessionId, groupId, agentId } = message;
    const id = idOf(topicId, sessionId, groupId, agentId) ?? INBOX;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [message]);
    else group.push(message);
  }
  return groups;
}

function readTopic(id: string, list: readonly JsonObject[], tables: Tables): FoundSource {
  const about = tables.about.get(id) ?? {};
  if (list.length === 0) throw new UnreadableError('the topic has no messages');
  const time = (message: JsonObject) => anyToMs(timeOf(message)) ?? 0;
  const messages = list.toSorted((a, b) => time(a) - time(b));
  const graph = new SourceGraph();
  const calls = new Calls();
  const path = new TopicPath(messages, tables.threads);
  for (const message of messages) {
    const known = withResult(withCalls(message), tables.plugins);
    calls.note(callsOf(known, known['content']));
    calls.note(answeredCall(known).filter(({ id }) => calls.above(id) === undefined));
    const previous = path.previousOf(message);
    const added = graph.add({
      id: message['id'],
      parent: path.parentOf(message),
      previous,
      createdAt: anyToMs(timeOf(message)),
      content: () => contentOf(known, calls),
    });
    path.add(message, added);
  }
  return foundConversation({
    source: 'lobe-chat',
    id: id === INBOX ? null : id,
    formerId: id,
    system: systemRoleOf({ ...list[0], ...withoutNull(about), id }, tables),
    title: textOf(about['title']) ?? titleFromFirstUser(messages, ({ content }) => content),
    createTime: about['createdAt'],
    updateTime: about['updatedAt'],
    graph,
    active: path.head,
    details: { model: objectOf(messages.at(-1)?.['extra'])['model'] ?? messages.at(-1)?.['model'] },
    original: {},
    warnings: path.inThreads > 0 ? [besideMain(path.inThreads, 'threads contain them')] : [],
  });
}

/** The system prompt of the agent, which servers have in a table of its own, and browsers in the session. */
function systemRoleOf({ id, agentId, sessionId }: JsonObject, { about, agentOf }: Tables): unknown {
  const owners = [agentId, agentOf.get(sessionId), agentOf.get(id), sessionId, id];
  const prompts = owners.map((owner) => {
    const { systemRole, config } = about.get(String(owner)) ?? {};
    return textOf(systemRole) ?? textOf(objectOf(config)['systemRole']);
  });
  return prompts.find((prompt) => prompt !== null);
}

/** Calls are in `tools`, with their function's name in `apiName`. */
function withCalls(message: JsonObject): JsonObject {
  const tools = arrayOf(message['tools']).map(objectOf);
  if (tools.length === 0) return message;
  return { ...message, tool_calls: tools.map(({ apiName, ...tool }) => ({ ...tool, name: apiName })) };
}

/** A tool's message with the id and the failure of its call, which servers have in a table of their own. */
function withResult(message: JsonObject, plugins: Tables['plugins']): JsonObject {
  const plugin = plugins.get(String(message['id']));
  if (plugin === undefined || !isToolRole(message['role'])) return message;
  const { toolCallId, error } = plugin;
  const failed = error == null ? {} : { status: 'error', content: textOf(message['content']) ?? error };
  return { ...message, tool_call_id: message['tool_call_id'] ?? toolCallId, plugin, ...failed };
}

/** The call that a tool's message answers, for messages whose call is not in the file. */
function answeredCall(message: JsonObject): ToolCall[] {
  const { apiName, arguments: input } = objectOf(message['plugin']);
  const id = idOf(message['tool_call_id']);
  return id === null || textOf(apiName) === null ? [] : [{ id, name: String(apiName), input: toolInput(input) ?? {} }];
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { role, content, reasoning, search } = message;
  const others = arrayOf(objectOf(search)['citations']).flatMap((page) => {
    return sourceParts(objectOf(page)['url'], objectOf(page)['title']);
  });
  const linked = ['id', 'role', 'parentId', 'topicId', 'sessionId', 'tool_calls'];
  const made = chatContent({ message, role, content, createTime: timeOf(message), others }, linked, calls.above);
  return { ...made, parts: [...reasoningParts(objectOf(reasoning)['content']), ...made.parts] };
}
