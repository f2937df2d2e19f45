/** The sources of messages, and the messages that draw on a source. */
import { MAX_LIST_LENGTH, sliceOf } from '../../conversation/paging.js';
import type { SourceMessage } from '../../conversation/model.js';
import type { ConversationReads } from '../../conversation/reads.js';
import { rankWindows, type Bounds } from './rank-window.js';
import type { Reader } from './reader.js';
import { byKey, type Keyed } from './rows.js';

export function sourceReads({ sql, rows, messages }: Reader) {
  return {
    async sources(keys) {
      const found = await rows<Keyed & SourceMessage>(sql.sourcesOf(keys), keys.length);
      return byKey(found, keys, ({ id, seq }) => ({ id, seq }));
    },

    async sourceHashes(keys) {
      const found = await rows<Keyed & { hash: string | null }>(sql.sourceHashesOf(keys), keys.length);
      return byKey(found, keys, ({ hash }) => hash);
    },

    async sourcesOfChats(chatIds) {
      const found = await rows<Keyed & { of: number; id: string }>(sql.sourcesOfChats(chatIds), Infinity);
      return idsOf(found, chatIds);
    },

    async sourcesInRanges(ranges) {
      const found = await rows<Keyed & { of: string; id: string }>(sql.sourcesInRanges(ranges), Infinity);
      return idsOf(found, ranges);
    },

    async drawnOnPages(keys, page) {
      const bounds = await rows<Bounds>(sql.drawnOnBounds(keys, page.after, page.before), keys.length);
      const { slices, longest, sum } = rankWindows(page, bounds, keys.length);
      const ranges = keys.map((key) => ({ ...key, above: page.after ?? 0, below: page.before ?? MAX_LIST_LENGTH }));
      const order = page.last === null ? 'ASC' : 'DESC';
      const found =
        longest === 0
          ? []
          : await messages((inlineBytes) => sql.drawingOn(ranges, order, longest, inlineBytes), sum, true);
      const lists = byKey(found, keys, (message) => message);
      return slices.map(({ window, total }, n) => {
        const list = (lists[n] ?? []).sort((one, other) => one.seq - other.seq);
        return sliceOf(list, window, total);
      });
    },
  } satisfies Partial<ConversationReads>;
}

/** The ids of sources by the messages that have any, for each key. */
function idsOf<Of>(found: readonly (Keyed & { of: Of; id: string })[], keys: readonly unknown[]): Map<Of, string[]>[] {
  const lists = keys.map(() => new Map<Of, string[]>());
  for (const { n, of, id } of found) {
    const ids = lists[n]?.get(of);
    if (ids === undefined) lists[n]?.set(of, [id]);
    else ids.push(id);
  }
  return lists;
}
