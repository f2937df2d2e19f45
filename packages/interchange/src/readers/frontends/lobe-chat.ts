/** Exports of LobeChat: all messages of an account or a session, which name their topic, in the form of browsers and of servers. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { callsOf, chatContent } from '../shared/chat-message.js';
import { besideMain, foundConversation, titleFromFirstUser } from '../shared/conversation.js';
import { arrayOf, idOf, isToolRole, objectOf, textOf, withoutNull } from '../shared/members.js';
import { reasoningParts, sourceParts, toolInput, type ToolCall } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs, timeOf } from '../shared/times.js';
import { TopicPath } from './lobe-chat-path.js';

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
