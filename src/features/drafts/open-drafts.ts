/** Drafts of an open database, with a server or without. */
import type { OpenFeature, StoreBase } from '../../feature.js';
import type { Connection } from '../../database/connection/connection.js';
import { type Growth, DraftOffsetError as OffsetError, draftState, type Draft } from './draft.js';
import { createDraftReads, draftReads } from './draft-reads.js';
import { DraftFeeds } from './live/draft-feeds.js';
import {
  DraftOffsetError,
  type ContextStore,
  type DraftData,
  type DraftStanding,
  type SavedMessages,
  type DraftUpdate,
} from '@parley/context';
import { toFollowing, toStoredChunks, toStoredContent, toStoredDraft, messageNotFound } from '@parley/context/server';
import type { MessageContent } from '../../conversation/saving/content.js';
import { pickColumns } from '../../conversation/tables.js';
import { appendToDraft, discardDraft, stopDraft } from './change-draft.js';
import { finishDraft } from './finish-draft.js';
import { startDraft } from './start-draft.js';
import { openDraftStream, type DraftUpdate as DraftChange } from './live/draft-stream.js';

/** The methods of a store. */
function contextDrafts(base: StoreBase, feeds: DraftFeeds): Partial<ContextStore> {
  const { store, reads, viewer, run } = base;
  const standingOf = (draft: Draft): DraftStanding => ({
    length: draft.length,
    state: draftState(draft, store.now()),
  });
  return {
    startDraft: (chatId, draft = {}) =>
      run(async () => toData(await startDraft(store, viewer, { chatId, ...toStoredDraft(draft) }), store.now())),
    appendToDraft: (chatId, id, offset, chunks) =>
      run(async () => {
        const request = { chatId, id, offset, chunks: toStoredChunks(chunks) };
        try {
          return standingOf(await appendToDraft(store, viewer, request));
        } catch (error) {
          throw error instanceof OffsetError ? new DraftOffsetError(error.message, error.length) : error;
        }
      }),
    finishDraft: (chatId, id, asked) =>
      run(async (): Promise<SavedMessages> => {
        const given = asked && (toStoredContent(asked, 'content') as MessageContent);
        const { content } = await base.files.withStored({ viewer }, { content: given });
        const { branch, messages, branched } = await finishDraft(store, viewer, { chatId, id, content });
        return { branch: base.toBranch(branch), messages: messages.map(base.toMessage), branched };
      }),
    stopDraft: (chatId, id) => run(async () => standingOf(await stopDraft(store, viewer, { chatId, id }))),
    discardDraft: (chatId, id) => run(() => base.isFound(() => discardDraft(store, viewer, { chatId, id }))),
    listDrafts: (chatId) =>
      run(async () => {
        await base.requireChat(chatId);
        const [drafts = []] = await reads.drafts([chatId]);
        return drafts.map((draft) => toData(draft, store.now()));
      }),
    async *followDraft(chatId, id, options = {}) {
      const { signal, ...place } = await run(async () => toFollowing(options));
      await run(() => base.requireChat(chatId));
      try {
        yield* followDraft(feeds, base, { chatId, id, ...place }, signal);
      } catch (error) {
        throw base.toError(error);
      }
    },
  };
}

const DATA_FIELDS = ['id', 'chatId', 'parentId', 'name', 'length', 'startedBy', 'startedAt', 'updatedAt'] as const;

/** @param now milliseconds since 1970 */
function toData(draft: Draft, now: number): DraftData {
  const metadata: unknown = draft.metadata === null ? null : JSON.parse(draft.metadata);
  return { ...pickColumns(draft, DATA_FIELDS), metadata, state: draftState(draft, now) };
}

/**
 * Follows a draft of a chat of the viewer.
 * @param signal ends it
 */
async function* followDraft(
  feeds: DraftFeeds,
  base: StoreBase,
  { chatId, id, after, withChunks }: { chatId: string; id: string; after: number; withChunks: boolean },
  signal: AbortSignal | undefined,
): AsyncGenerator<DraftUpdate, void> {
  const { drafts, leave } = await feeds.join(chatId);
  const following = { startAt: null, position: after, isOver: false };
  const stream = await openDraftStream(drafts, id, following, { reads: base.reads, leave }).catch((error: unknown) => {
    leave();
    throw error;
  });
  const end = () => void stream.return();
  signal?.addEventListener('abort', end);
  try {
    if (signal?.aborted === true) return;
    for await (const change of stream) {
      const update = await updateOf(base, change, withChunks);
      if (update !== null) yield update;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** Null for deleted chunks: the draft has ended, and its end is the next update. */
async function updateOf(
  { reads, toMessage, toBranch }: StoreBase,
  change: DraftChange,
  withChunks: boolean,
): Promise<DraftUpdate | null> {
  switch (change.kind) {
    case 'chunks': {
      const { offset, length } = change;
      const chunks = withChunks ? await change.chunks() : [];
      return chunks && { type: 'chunks', offset, length, chunks };
    }
    case 'stopping':
      return { type: 'stopping', requestedBy: change.requestedBy };
    case 'abandoned':
      return { type: 'abandoned', length: change.length };
    case 'discarded':
      return { type: 'discarded' };
    case 'finished': {
      const { chatId, messageId, branchId } = change;
      const [[message], [branch], [active]] = await Promise.all([
        reads.messages([{ chatId, id: messageId }]),
        branchId === null ? [] : reads.branches([{ chatId, id: branchId }]),
        reads.activeBranches([chatId]),
      ]);
      const place = branch ?? active;
      // The chat was deleted while it was read.
      if (message == null || place === undefined) throw messageNotFound(messageId);
      return { type: 'finished', message: toMessage(message), branch: toBranch(place) };
    }
  }
}

/** How often followed drafts are read again, which other processes may write, in milliseconds. */
const SWEEP_INTERVAL_MS = 1_000;

/** @param feeds those of the subscribers in this process; undefined before the server starts */
export function draftsOf(connection: Connection, feeds: () => DraftFeeds | undefined): OpenFeature {
  return {
    reads: (db) => draftReads(connection.sql, db),
    onPart: (change, grown) => feeds()?.wake(change, grown as Growth | undefined),
    lost: (error) => feeds()?.lose(error),
    contextStore: (base) => {
      const followed = feeds();
      return followed === undefined ? {} : contextDrafts(base, followed);
    },
  };
}

/** Without a server. */
export function draftsWithoutServer(connection: Connection): OpenFeature {
  const feeds = new DraftFeeds({
    reads: createDraftReads(connection),
    sweepIntervalMs: SWEEP_INTERVAL_MS,
    // The next sweep tries again.
    onError: () => {},
    now: Date.now,
  });
  return {
    ...draftsOf(connection, () => feeds),
    close: async () => feeds.close(),
  };
}
