/** Logs of prompts with their responses, grouped by conversation: `llm logs --json`, and AnythingLLM's chats by workspace. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { foundConversation, titleFrom, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, textOf, without, anyToMs } from '../shared/members.js';
import { dataPart, reasoningParts, textParts } from '../shared/parts.js';

const KEYS = ['conversation_id', 'workspace'];

export const promptLogs: LinesReader = {
  name: 'prompt-logs',
  label: 'prompt logs',
  claims: isLog,
  continues: isLog,
  keyOf: (value) => idOf(...KEYS.map((name) => value[name])),
  readAll: (values) => [readLogs(values)],
};

function isLog(value: JsonObject): boolean {
  const isKeyed = KEYS.some((name) => idOf(value[name]) !== null);
  return isKeyed && typeof value['prompt'] === 'string' && typeof value['response'] === 'string';
}

function readLogs(values: readonly JsonObject[]): FoundSource {
  const time = (value: JsonObject) => value['datetime_utc'] ?? value['sent_at'];
  const logs = values.toSorted((a, b) => (utcToMs(time(a)) ?? 0) - (utcToMs(time(b)) ?? 0));
  const [first = {}] = logs;
  const key = idOf(...KEYS.map((name) => first[name]));
  if (key === null) throw new UnreadableError('nothing identifies the conversation');
  const graph = new SourceGraph();
  let instruction: unknown = null;
  for (const [n, log] of logs.entries()) {
    const id = idOf(log['id']) ?? String(n + 1);
    const createTime = time(log);
    const createdAt = utcToMs(createTime);
    const add = (
      role: NodeContent['role'],
      suffix: string,
      content: () => Omit<NodeContent, 'role' | 'createTime'>,
    ) => {
      graph.append({ id: `${id}-${suffix}`, createdAt, content: () => ({ role, createTime, ...content() }) });
    };
    const { system } = log;
    if (textOf(system) !== null && system !== instruction) {
      add('system', 'system', () => ({ parts: textParts(system), original: {}, fingerprinted: system }));
      instruction = system;
    }
    add('user', 'prompt', () => ({ parts: promptParts(log), original: {}, fingerprinted: log['prompt'] }));
    add('assistant', 'response', () => ({
      parts: [...reasoningParts(log['reasoning']), ...textParts(log['response'])],
      original: without(log, 'id', 'prompt', 'response', 'system', ...KEYS),
      fingerprinted: log['response'],
    }));
  }
  const title = first['conversation_name'] ?? first['workspace'] ?? titleFrom(String(first['prompt']));
  const details = { model: first['conversation_model'] ?? first['model'] };
  return foundConversation({ source: 'prompt-logs', id: key, title, graph, active: graph.last, details, original: {} });
}

function promptParts(log: JsonObject) {
  return [...textParts(log['prompt']), ...arrayOf(log['attachments']).map((each) => dataPart('attachment', each))];
}

/** `llm` writes times of UTC without a zone. */
function utcToMs(time: unknown): number | null {
  const hasZone = typeof time !== 'string' || /(?:Z|[+-]\d\d:?\d\d|\))$/.test(time);
  return anyToMs(hasZone || !/^\d{4}-\d\d-\d\d[T ]/.test(time) ? time : `${time.replace(' ', 'T')}Z`);
}
