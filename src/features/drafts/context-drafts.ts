/** Drafts of the library for agents, by the same rules as the server's. */
import {
  DraftOffsetError,
  type ContextStore,
  type DraftData,
  type DraftStanding,
  type SavedMessages,
} from '@parley/context';
import { toFollowing, toStoredChunks, toStoredContent, toStoredDraft } from '@parley/context/server';
import type { MessageContent } from '../../conversation/saving/content.js';
import { pickColumns } from '../../conversation/tables.js';
import type { StoreBase } from '../../feature.js';
import { appendToDraft, discardDraft, stopDraft } from './change-draft.js';
import { DraftOffsetError as OffsetError, draftState, type Draft } from './draft.js';
import { finishDraft } from './finish-draft.js';
import { followDraft } from './follow-draft.js';
import type { DraftFeeds } from './live/draft-feeds.js';
import { startDraft } from './start-draft.js';

/** The methods of a store. */
export function contextDrafts(base: StoreBase, feeds: DraftFeeds): Partial<ContextStore> {
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
