/**
 * Chat completions in the formats for training and batches: {"messages": [{role, content}…]} under several names, a
 * prompt with its completion, or with answers and a preferred one; two conversations with the same question. Messages can be Gemini's, with `parts`, or
 * LangChain's.
 */
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import { isCounted } from '../frontends/chatbot-ui.js';
import type { ValueReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, anyContentOf, callsOf, chatContent } from '../shared/chat-message.js';
import { isDesignChat } from '../hosted/claude.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, identity, idOf, isToolRole, objectOf, without, anyToMs, timeOf } from '../shared/members.js';
import { plainMessage, speakerOf, withAdditional } from '../shared/langchain-message.js';
import { systemMember } from '../shared/system-prompt.js';

/** The members that hold the messages. */
const LISTS = ['messages', 'conversations', 'conversation', 'items', 'contents', 'dialog', 'history'];
/** The members with answers, the preferred one first. */
const ANSWERS = ['completion', 'response', 'chosen', 'preferred_output', 'rejected', 'non_preferred_output'];
/** Members that identify other formats with messages. */
const OTHERS = [
  ...['conversationId', 'workspace', 'folderId', 'systemPurposeId'],
  ...['conv', 'chat_messages', 'mapping', 'session', 'sessionId', 'info'],
];

/** The members of a comparison of two models, each a whole conversation with the same questions. */
const COMPARED = ['conversation_a', 'conversation_b'];

/** Members of a message without a text that are content, too. */
const OTHER_CONTENTS = ['content', 'tool_calls', 'function_call', 'refusal', 'audio'];
/** Members of a message that name its parent. */
const PARENTS = ['parentId', 'parent_id'];

/** The members of a conversation with the question and with the answers. */
interface Members {
  readonly asked: string;
  readonly answers: readonly string[];
}

export const completions: ValueReader = {
  name: 'completions',
  label: 'chat completions',
  claims: (value) => {
    if (OTHERS.some((name) => name in value) || isCounted(value) || isDesignChat(value)) return false;
    const members = membersIn(value);
    // Next to other messages, `history` is the tree of another format.
    if (members === null || ('history' in value && members.asked !== 'history')) return false;
    // Logs of prompts are rows of a conversation.
    return members.asked !== 'prompt' || !('conversation_id' in value);
  },
  read: (value) => [readConversation(value)],
};

/** Checks only the first message of each list. */
function membersIn(value: JsonObject): Members | null {
  if (COMPARED.every((name) => isMessages(value[name]))) return { asked: 'shared', answers: COMPARED };
  const list = LISTS.find((name) => isMessages(value[name]));
  if (list !== undefined) return { asked: list, answers: [] };
  const answers = ANSWERS.filter((name) => isSaid(value[name]));
  if (isSaid(value['prompt']) && answers.length > 0) return { asked: 'prompt', answers };
  const inner = ['body', 'input'].find((name) => isMessages(objectOf(value[name])['messages']));
  return inner === undefined ? null : { asked: inner, answers };
}

function isMessages(value: unknown): boolean {
  const first = plainMessage(arrayOf(value)[0]);
  return typeof (first['role'] ?? speakerOf(first)) === 'string' && hasContent(first);
}

function hasContent(message: JsonObject): boolean {
  return anyContentOf(message) !== undefined || OTHER_CONTENTS.some((name) => name in message);
}

/** Whether a value has content: a text, or messages. */
function isSaid(value: unknown): boolean {
  return typeof value === 'string' || isMessages(value);
}

function messagesOfRole(role: string, value: unknown): JsonObject[] {
  return typeof value === 'string'
    ? [{ role, content: value }]
    : arrayOf(value).map((message) => withAdditional(plainMessage(message)));
}

function readConversation(value: JsonObject): FoundSource {
  const members = membersIn(value);
  if (members === null) throw new UnreadableError('it has no messages');
  const names = [members.asked, ...members.answers];
  const { messages, answers } = members.answers === COMPARED ? comparedIn(value) : saidIn(value, members);
  const { id, conversation_id, title, created, ...others } = value;
  const own = identity([id, conversation_id], messages[0], answers.length === 0 ? messages : [messages, answers]);
  const around = [others, ...names.map((name) => objectOf(value[name]))];
  const [system] = around.flatMap((each) => systemMember(each) ?? []);
  const graph = new SourceGraph();
  const calls = new Calls();
  let count = 0;
  const add = (list: readonly JsonObject[], parent: string | null): string | null => {
    let previous = parent;
    let latest = 'call';
    for (const message of list) {
      count++;
      const nodeId = idOf(message['id']) ?? String(count);
      const known = withCallId(message, nodeId, latest);
      const made = callsOf(known, anyContentOf(message));
      latest = made.at(-1)?.id ?? latest;
      calls.note(made);
      const link = PARENTS.find((name) => name in message);
      previous = graph.add({
        id: nodeId,
        parent: link === undefined ? previous : message[link],
        createdAt: anyToMs(timeOf(message)),
        content: () => contentOf(message, known, calls),
      });
    }
    return previous;
  };
  const last = add(messages, null);
  const [end = last] = answers.map((answer) => add(answer, last));
  const inner = names.map((name) => [name, value[name]] as const).filter(([, each]) => isJsonObject(each));
  return foundConversation({
    source: 'completions',
    ...own,
    title: title ?? value['name'],
    createTime: created,
    graph,
    active: end,
    system: system === undefined ? null : around.find((each) => system in each)?.[system],
    original: {
      ...without(others, ...names, ...(system === undefined ? [] : [system])),
      ...Object.fromEntries(inner.map(([name, each]) => [name, without(objectOf(each), 'messages')])),
    },
  });
}

interface Said {
  readonly messages: readonly JsonObject[];
  readonly answers: readonly (readonly JsonObject[])[];
}

function saidIn(value: JsonObject, members: Members): Said {
  const asked = value[members.asked];
  return {
    messages: messagesOfRole('user', isJsonObject(asked) ? asked['messages'] : asked),
    answers: members.answers.map((name) => messagesOfRole('assistant', value[name])),
  };
}

/** The winner is the first of the two; the messages that both have are shared. */
function comparedIn(value: JsonObject): Said {
  const both = COMPARED.map((name) => messagesOfRole('user', value[name]));
  const [one = [], other = []] = value['winner'] === 'model_b' ? both.reverse() : both;
  const first = one.findIndex((message, n) => !isDeepStrictEqual(message, other[n]));
  const shared = first < 0 ? one.length : first;
  return { messages: one.slice(0, shared), answers: [one.slice(shared), other.slice(shared)] };
}

/** The single call of 2023 has no id, and its result belongs to the latest call. */
function withCallId(message: JsonObject, id: string, latest: string): JsonObject {
  const { function_call: call, role, tool_call_id } = message;
  if (isJsonObject(call)) return { ...message, function_call: { id, ...call } };
  return isToolRole(role) && tool_call_id === undefined ? { ...message, tool_call_id: latest } : message;
}

function contentOf(message: JsonObject, known: JsonObject, calls: Calls): NodeContent {
  const role = message['role'] ?? speakerOf(message);
  const content = anyContentOf(message);
  const carried = ['id', 'role', ...PARENTS];
  const made = chatContent({ message: known, role, content, createTime: timeOf(message) }, carried, calls.above);
  return known === message ? made : { ...made, original: without(message, ...carried) };
}
