/** Chats of SillyTavern: a line that tells who speaks, then a line for each message, whose swipes are its siblings. */
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader } from '../reader.js';
import type { NodeContent, SourceConversation } from '../source-conversation.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, textOf, without, type JsonObject } from '../shared/members.js';
import { reasoningParts, textParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

export const sillyTavern: LinesReader = {
  name: 'silly-tavern',
  label: 'SillyTavern',
  claims: (value) => 'character_name' in value && 'user_name' in value,
  continues: (value) => 'is_user' in value && 'mes' in value,
  readAll: ([header, ...lines]) => [readChat(objectOf(header), lines)],
};

function readChat(header: JsonObject, lines: readonly JsonObject[]): SourceConversation {
  const { user_name, character_name, create_date, ...original } = header;
  const about = objectOf(header['chat_metadata']);
  const integrity = idOf(about['integrity']);
  // A chat has an id since 2025; before, its beginning is what stays.
  const id = integrity ?? JSON.stringify([character_name ?? null, create_date ?? lines[0]?.['send_date'] ?? null]);
  if (lines.length === 0 && integrity === null && create_date === undefined) {
    throw new UnreadableError('the chat has no messages, and nothing identifies it');
  }
  const graph = new SourceGraph();
  let previous: string | null = null;
  for (const [n, line] of lines.entries()) {
    const swipes = arrayOf(line['swipes']);
    const chosen = swipes.length === 0 ? 0 : chosenSwipe(line, swipes);
    let next: string | null = null;
    // Which one is chosen may change, so that the ids do not depend on it.
    for (const k of swipes.length === 0 ? [0] : swipes.keys()) {
      const swipe = swipes.length === 0 ? line['mes'] : k === chosen ? (textOf(line['mes']) ?? swipes[k]) : swipes[k];
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
    id,
    title: character_name,
    graph,
    active: previous,
    details: { userName: user_name, createDate: create_date },
    original,
  });
}

/** The one that is shown: its number, else the one that says the same. */
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
    role: line['is_user'] === true ? 'user' : line['is_system'] === true ? 'system' : 'assistant',
    parts: [...reasoningParts(extra['reasoning']), ...textParts(swipe)],
    createTime: swipeTime(line, k, chosen),
    hidden: line['is_system'] === true,
    original: isChosen
      ? without(line, ...(isCarried ? ['mes', 'swipes'] : []))
      : { name: line['name'], swipe: k, ...info, ...(isCarried ? {} : { text: swipe }) },
    said: swipe,
  };
}

/** Dates of its own making: `2026-08-31 @00h00m01s`, `August 31, 2026 9:00pm`. */
function tavernTime(date: unknown): number | null {
  if (typeof date !== 'string') return anyToMs(date);
  const at = /^(\d{4}-\d{1,2}-\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s/.exec(date);
  if (at !== null) {
    const [, day = '', ...clock] = at;
    const padded = (text: string) => text.padStart(2, '0');
    return anyToMs(`${day.split('-').map(padded).join('-')}T${clock.slice(0, 3).map(padded).join(':')}Z`);
  }
  const words = /^(\w+ \d{1,2}, \d{4}) (\d{1,2}):(\d{2})\s*([ap])m$/i.exec(date);
  if (words === null) return anyToMs(date);
  const [, day, hour, minute, half = ''] = words;
  return anyToMs(`${day} ${(Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)}:${minute} UTC`);
}
