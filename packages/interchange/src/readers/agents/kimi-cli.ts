/** Sessions of Kimi CLI (context.jsonl): the messages of the model's API, with lines of checkpoints, usage and the system prompt. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, titleFromFirstUser, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, objectOf, textOf } from '../shared/members.js';

const SYSTEM = '_system_prompt';
const CHECKPOINT = '_checkpoint';
const OTHERS = new Set<unknown>([SYSTEM, CHECKPOINT, '_usage']);
const ROLES = new Set<unknown>(['user', 'assistant', 'tool', 'system']);
const MEMBERS = new Set(['role', 'name', 'content', 'tool_calls', 'tool_call_id', 'partial']);
/** Text that the program sends in the user's name. */
const OF_PROGRAM = /^\s*<system>[^]*<\/system>\s*$/;

export const kimiCli: LinesReader = {
  name: 'kimi-cli',
  label: 'Kimi CLI',
  claims: ({ role }) => OTHERS.has(role),
  continues: (value, first) => {
    const { role, id } = value;
    if (ROLES.has(role)) return Object.keys(value).every((name) => MEMBERS.has(name));
    // Another session begins like the first one: with a system prompt, or with the same checkpoint.
    const isFirst = role === first?.['role'] && (role === SYSTEM || (role === CHECKPOINT && id === first?.['id']));
    return OTHERS.has(role) && !isFirst;
  },
  readAll: (lines) => [readSession(lines)],
};

function readSession(lines: readonly JsonObject[]): FoundSource {
  const graph = new SourceGraph();
  const calls = new Calls();
  const messages = lines.filter(({ role }) => !OTHERS.has(role));
  if (messages.length === 0) throw new UnreadableError('the session has no messages');
  for (const [n, message] of messages.entries()) {
    const { role, content } = message;
    calls.note(callsOf(message, content));
    graph.append({
      id: String(n + 1),
      createdAt: null,
      content: () => {
        const made = chatContent({ message, role, content }, ['role'], calls.above);
        return { ...made, hidden: role === 'user' && OF_PROGRAM.test(textIn(content)) };
      },
    });
  }
  return foundConversation({
    source: 'kimi-cli',
    // The folder has the id of the session.
    id: null,
    title: titleFromFirstUser(
      messages.filter(({ content }) => !OF_PROGRAM.test(textIn(content))),
      ({ content }) => textIn(content),
    ),
    graph,
    active: graph.last,
    system: lines.find(({ role }) => role === SYSTEM)?.['content'],
    original: {},
  });
}

function textIn(content: unknown): string {
  return (
    textOf(content) ??
    arrayOf(content)
      .flatMap((part) => textOf(objectOf(part)['text']) ?? [])
      .join('\n')
  );
}
