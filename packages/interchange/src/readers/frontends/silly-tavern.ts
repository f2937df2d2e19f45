/**
 * Chats of SillyTavern: a header line, which groups lack before 2025, then a line for each message, whose swipes become
 * siblings.
 */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, MessagePart, NodeContent, Role, FoundSource } from '../../source-conversation.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { dataPart, filePart, reasoningParts, textParts, toolInput, toolPart } from '../shared/parts.js';

export const sillyTavern: LinesReader = {
  name: 'silly-tavern',
  label: 'SillyTavern',
  claims: (value) => isMessage(value) || isHeader(value),
  continues: isMessage,
  readAll: (lines) => {
    const [header = {}, ...others] = lines;
    return [isMessage(header) ? readChat({}, lines) : readChat(header, others)];
  },
};

function isMessage(value: JsonObject): boolean {
  return 'is_user' in value && 'mes' in value;
}

function isHeader(value: JsonObject): boolean {
  return ('character_name' in value && 'user_name' in value) || isJsonObject(value['chat_metadata']);
}

function readChat(header: JsonObject, lines: readonly JsonObject[]): FoundSource {
  const { user_name, character_name, create_date, ...original } = header;
  const about = objectOf(header['chat_metadata']);
  const integrity = idOf(about['integrity']);
  const character = named(character_name) ?? speaker(lines, false);
  // A chat has an id since 2025; older chats are identified by their time.
  const time = create_date ?? lines[0]?.['send_date'] ?? null;
  const timed = JSON.stringify([character, time]);
  if (lines.length === 0 && integrity === null && create_date === undefined) {
    throw new UnreadableError('the chat has no messages, and nothing identifies it');
  }
  const graph = new SourceGraph();
  let previous: string | null = null;
  for (const [n, line] of lines.entries()) {
    const swipes = arrayOf(line['swipes']);
    const chosen = swipes.length === 0 ? 0 : chosenSwipe(line, swipes);
    let next: string | null = null;
    // The chosen swipe can change, so ids must not depend on it.
    for (const k of swipes.length === 0 ? [0] : swipes.keys()) {
      const own = words(line['mes']);
      const swipe = swipes.length === 0 ? own : k === chosen ? (textOf(own) ?? words(swipes[k])) : words(swipes[k]);
      const added = graph.add({
        id: k === 0 ? String(n + 1) : `${n + 1}.${k}`,
        parent: previous,
        createdAt: tavernTime(swipeTime(line, k, chosen)),
        content: () => contentOf(line, swipe, k, chosen),
      });
      if (k === chosen) next = added;
    }
    previous = next;
  }
  return foundConversation({
    source: 'silly-tavern',
    id: integrity ?? (time === null ? null : timed),
    formerId: timed,
    title: character,
    graph,
    active: previous,
    details: { userName: named(user_name) ?? speaker(lines, true), createDate: create_date },
    original,
  });
}

/** Newer headers have the word `unused` instead of names. */
function named(name: unknown): string | null {
  return name === 'unused' ? null : textOf(name);
}

/** The speaker of the first message: a group has several. */
function speaker(lines: readonly JsonObject[], isUser: boolean): string | null {
  const line = lines.find((each) => (each['is_user'] === true) === isUser && each['is_system'] !== true);
  return textOf(line?.['name']);
}

/** The text. In chats from Chub it is one level deeper. */
function words(value: unknown): unknown {
  return isJsonObject(value) ? value['message'] : value;
}

/** The chosen swipe: by its number, else by its text. */
function chosenSwipe(line: JsonObject, swipes: readonly unknown[]): number {
  const { swipe_id: id, mes } = line;
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < swipes.length) return id;
  return Math.max(0, swipes.indexOf(mes));
}

function swipeTime(line: JsonObject, k: number, chosen: number): unknown {
  if (k === chosen) return line['send_date'];
  return objectOf(arrayOf(line['swipe_info'])[k])['send_date'] ?? line['send_date'];
}

function contentOf(line: JsonObject, swipe: unknown, k: number, chosen: number): NodeContent {
  const isChosen = k === chosen;
  const info = objectOf(arrayOf(line['swipe_info'])[k]);
  const extra = objectOf(isChosen ? line['extra'] : info['extra']);
  const isCarried = textOf(swipe) !== null;
  return {
    role: roleIn(line, extra),
    parts: [...reasoningParts(extra['reasoning']), ...callParts(extra), ...textParts(swipe), ...attachedParts(extra)],
    createTime: swipeTime(line, k, chosen),
    hidden: line['is_system'] === true,
    original: isChosen
      ? without(line, ...(isCarried ? ['mes', 'swipes'] : []))
      : { name: line['name'], swipe: k, ...info, ...(isCarried ? {} : { text: swipe }) },
    fingerprinted: swipe,
  };
}

/** `is_system` means hidden. A message of the program has its own type or name. */
function roleIn({ is_user, is_system, name }: JsonObject, { type, tool_invocations }: JsonObject): Role {
  if (is_user === true) return 'user';
  if (Array.isArray(tool_invocations)) return 'assistant';
  const isOwn = textOf(type) !== null || (is_system === true && (textOf(name) ?? 'System').includes('System'));
  return isOwn ? 'system' : 'assistant';
}

function callParts({ tool_invocations }: JsonObject): MessagePart[] {
  return arrayOf(tool_invocations).map((each, n) => {
    const { id, name, parameters, result } = objectOf(each);
    const call = { id: idOf(id) ?? `call-${n + 1}`, name: textOf(name) ?? 'tool', input: toolInput(parameters) };
    return toolPart(call, { output: result });
  });
}

/** Images and files are on SillyTavern's server, except those embedded in the chat. */
function attachedParts({ image, file, files, media }: JsonObject): MessagePart[] {
  const all = [
    ...(image === undefined ? [] : [{ type: 'image', url: image }]),
    file,
    ...arrayOf(files),
    ...arrayOf(media),
  ];
  return all.flatMap((each) => {
    if (each === undefined || each === null) return [];
    const { url, type, name } = objectOf(each);
    const address = textOf(url);
    const kind = textOf(type);
    if (address === null || !/^(https?|data):/.test(address)) return [dataPart('file', each)];
    return [filePart(address, kind === null ? null : kind.includes('/') ? kind : `${kind}/*`, name)];
  });
}

/**
 * SillyTavern's own date formats: `2026-08-31 @00h00m01s`, with or without milliseconds, and `August 31, 2026 9:00pm`.
 */
function tavernTime(date: unknown): number | null {
  if (typeof date !== 'string') return anyToMs(date);
  const at = /^(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s(?:\s*(\d{1,3})ms)?/.exec(date);
  if (at !== null) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = at
      .slice(1)
      .map((each) => Number(each) || 0);
    return anyToMs(Date.UTC(year, month - 1, day, hour, minute, second, ms));
  }
  const words = /^(\w+ \d{1,2}, \d{4}) (\d{1,2}):(\d{2})\s*([ap])m$/i.exec(date);
  if (words === null) return anyToMs(date);
  const [, day, hour, minute, half = ''] = words;
  return anyToMs(`${day} ${(Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)}:${minute} UTC`);
}
