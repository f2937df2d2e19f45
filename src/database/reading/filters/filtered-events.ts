/** Pages of filtered logs. A log may have any length and is read in pieces. */
import type { ChatEvent } from '../../../conversation/model.js';
import type { PageRequest } from '../../../conversation/paging.js';
import type { ConversationReads, EventFilter, EventKey } from '../../../conversation/reads.js';
import type { EventRange } from '../../dialects/requests.js';
import { EVENTS_AT_ONCE, piecesOf } from '../log-pieces.js';
import type { Reader } from '../reader.js';
import { toEvent, type EventRow, type Keyed, type LogStateRow } from '../rows.js';

/** A part of a log, both ends inclusive. */
interface Part extends EventKey {
  firstSeq: number;
  lastSeq: number;
}

export function filteredEvents({ sql, rows }: Reader): Pick<ConversationReads, 'filteredEventPages'> {
  /** The first or last `count` matching events of each part. */
  async function readParts(
    parts: readonly Part[],
    filter: EventFilter,
    from: 'first' | 'last',
    wanted: number,
  ): Promise<ChatEvent[][]> {
    const searches = parts.map((part) => ({
      ...part,
      pieces: piecesOf(part, from),
      found: [] as ChatEvent[],
      isOver: false,
    }));
    for (
      let open = searches;
      open.length > 0;
      open = open.filter((each) => !each.isOver && each.found.length < wanted)
    ) {
      const ranges: (EventRange & { found: ChatEvent[] })[] = [];
      let length = 0;
      for (const each of open) {
        const { value: piece } = each.pieces.next();
        if (piece === undefined) each.isOver = true;
        else {
          ranges.push({ ...piece, branchId: each.branchId, found: each.found });
          length += piece.length;
        }
        if (length >= EVENTS_AT_ONCE) break;
      }
      if (ranges.length === 0) continue;
      const events = await rows<EventRow & Keyed>(sql.filteredEvents(ranges, filter, from, wanted), length);
      const ordered = events.sort((a, b) => (from === 'first' ? 1 : -1) * (a.seq - b.seq));
      for (const row of ordered) ranges[row.n]?.found.push(toEvent(row));
    }
    return searches.map(({ found }) => found.slice(0, wanted));
  }

  return {
    async filteredEventPages(keys, { page, filter }) {
      const states = await rows<LogStateRow>(
        sql.logStates([...new Set(keys.map(({ chatId }) => chatId))]),
        keys.length,
      );
      const versions = new Map(states.map(({ chatId, version }) => [chatId, version ?? 0]));
      const { first, last, after, before }: PageRequest<number> = page;
      const limit = last ?? first ?? Number.MAX_SAFE_INTEGER;
      const between = (firstSeq: number, lastSeq: number) =>
        keys.map((key): Part => {
          const version = versions.get(key.chatId) ?? 0;
          return { ...key, firstSeq: Math.max(firstSeq, 1), lastSeq: Math.min(lastSeq, version) };
        });
      // One extra event shows whether more follow.
      const inside = between((after ?? 0) + 1, (before ?? Infinity) - 1);
      const found = await readParts(inside, filter, last === null ? 'first' : 'last', limit + 1);
      // Starts at the cursor, which usually names an event of the list.
      const above = after === null ? [] : await readParts(between(1, after), filter, 'last', 1);
      const below = before === null ? [] : await readParts(between(before, Infinity), filter, 'first', 1);
      return keys.map(({ chatId }, n) => {
        const events = found[n] ?? [];
        const hasMore = events.length > limit;
        const shown = events.slice(0, limit);
        return {
          rows: last === null ? shown : shown.reverse(),
          hasPreviousPage: (last !== null && hasMore) || (above[n] ?? []).length > 0,
          hasNextPage: (last === null && hasMore) || (below[n] ?? []).length > 0,
          totalCount: versions.get(chatId) ?? 0,
        };
      });
    },
  };
}
