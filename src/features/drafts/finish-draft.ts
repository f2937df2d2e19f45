/** Ending a draft: the message is saved and the draft removed in one transaction. */
import { v7 as newId } from 'uuid';
import { isPossibleId } from '../../conversation/bounds.js';
import { changeChat } from '../../conversation/chats.js';
import {
  isSameMessage,
  readContent,
  type MessageContent,
  type MessageInput,
} from '../../conversation/saving/content.js';
import { AlreadyExistsError, HeadConflictError } from '../../conversation/errors.js';
import { isJsonObject } from '../../conversation/text/merge-patch.js';
import { referredMessage } from '../../conversation/messages.js';
import type { Branch, Viewer } from '../../conversation/model.js';
import { knownMessages } from '../../conversation/saving/save.js';
import { SavePlan, type SaveOptions, type SaveOutcome } from '../../conversation/saving/save-plan.js';
import type { ConversationStore, LockedChat } from '../../conversation/store.js';
import { pickColumns, SAVED_MESSAGE_COLUMNS, UNSET_MESSAGE_COLUMNS } from '../../conversation/tables.js';
import { haveContent, textOf, withinMessage } from './chunks.js';
import { draftNotFound, draftState, type Draft, type DraftKey } from './draft.js';
import { LockedDrafts, removeDraft } from './draft-store.js';
import { activatesBranch } from './own-branch.js';
import type { Connection } from '../../database/connection/connection.js';
import { Periodic, type PeriodicOptions } from '../../scheduler/periodic.js';
import { createDraftReads } from './draft-reads.js';

/**
 * Saves the finished message at the draft's target. A draft that is already finished returns its message.
 * @param request.content by default the text of the chunks, as a UI message with the draft's metadata; marked as
 * incomplete when the draft is STOPPING or ABANDONED
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError, HeadConflictError
 */
export function finishDraft(
  store: ConversationStore,
  viewer: Viewer,
  request: DraftKey & { content?: MessageContent | null | undefined },
): Promise<SaveOutcome> {
  const content = request.content == null ? null : readContent(request.content, 'content');
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const drafts = new LockedDrafts(locked, change);
    const draft = await drafts.find(request.id);
    if (draft === null || draft.endedAt !== null) {
      return alreadyFinished(drafts, viewer, request, { draft, content });
    }
    return save(drafts, viewer, draft, content ?? (await joined(drafts, draft, change.now)));
  });
}

/**
 * Ends an abandoned draft: saves its content, cut to the size of a message, or discards it when it is empty, or when
 * its branch was deleted and its writer is not the owner. A draft with
 * REJECT on a branch that has moved on gets its own branch.
 * @param before milliseconds since 1970: a draft with a later append stays
 */
export async function closeDraft(store: ConversationStore, { chatId, id, startedBy }: Draft, before: number) {
  const viewer: Viewer = { userId: startedBy, isAdmin: true };
  await store.change(chatId, startedBy, async (locked, change) => {
    const drafts = new LockedDrafts(locked, change);
    const draft = await drafts.find(id);
    if (draft === null || draft.endedAt !== null || draft.updatedAt >= before) return;
    const { text, isEmpty } = await contentOf(drafts, draft);
    if (isEmpty || (await hasLostBranch(locked, draft)))
      return drafts.write({ draft: { ...draft, endedAt: change.now } });
    const content = uiMessage(draft, withinMessage(text), { isIncomplete: true });
    const messageId = await freeId(locked, viewer, draft);
    try {
      await save(drafts, viewer, draft, content, messageId);
    } catch (error) {
      if (!(error instanceof HeadConflictError)) throw error;
      await save(drafts, viewer, { ...draft, onConflict: 'FORK' }, content, messageId);
    }
  });
}

/** Whether the draft may be a COMMENTER's, whose branch was deleted: it must not continue another one. */
async function hasLostBranch(locked: LockedChat, { activation, startedBy, branchId }: Draft): Promise<boolean> {
  if (activation !== 'NEVER' || startedBy === locked.chat.userId) return false;
  return (await locked.branchById(branchId)) === null;
}

/** The draft's id, or a new one when another chat took it meanwhile. */
async function freeId(locked: LockedChat, viewer: Viewer, { id }: Draft): Promise<string> {
  try {
    await knownMessages(locked, viewer, [{ id }]);
    return id;
  } catch (error) {
    if (error instanceof AlreadyExistsError) return newId();
    throw error;
  }
}

async function save(
  drafts: LockedDrafts,
  viewer: Viewer,
  draft: Draft,
  dataFor: MessageInput['dataFor'],
  id = draft.id,
): Promise<SaveOutcome> {
  const { locked, change } = drafts;
  const { name, parentId, onConflict } = draft;
  const known = await knownMessages(locked, viewer, [{ id }]);
  const place: SaveOptions =
    onConflict === 'PARENT'
      ? { parent: parentId === null ? null : await referredMessage(locked, parentId) }
      : { expectedHeadId: parentId, onConflict };
  // Read first: it usually reads the active branch too.
  const target = await targetOf(locked, draft);
  const options = { ...place, isActivating: await activatesBranch(locked, draft) };
  const plan = new SavePlan(locked, change, viewer, target, known, options);
  await plan.add({ ...UNSET_MESSAGE_COLUMNS, id, name, type: 'message', dataFor });
  const outcome = await plan.finish();
  const { branch, messages } = outcome;
  const ended = { ...draft, branchId: branch.id, endedAt: change.now, messageId: messages[0]?.id ?? id };
  drafts.write({ draft: ended });
  // The first content may have created the branch.
  const isOwn = draft.activation === 'DONE' && branch.id === draft.branchId;
  return { ...outcome, branched: outcome.branched || isOwn };
}

/** The target branch of a draft; the active one when the target was deleted. */
async function targetOf(locked: LockedChat, { branchId }: Draft): Promise<Branch> {
  const branch = await locked.branchById(branchId);
  return (await locked.tip(branch?.name ?? null)) ?? locked.activeBranch();
}

/** The result of a retry. */
async function alreadyFinished(
  { locked, change }: LockedDrafts,
  viewer: Viewer,
  key: DraftKey,
  { draft, content }: { draft: Draft | null; content: MessageInput['dataFor'] | null },
): Promise<SaveOutcome> {
  const id = draft?.messageId ?? key.id;
  const message = isPossibleId(id) ? (await locked.messages([id])).get(id) : undefined;
  if (message === undefined) throw draftNotFound(key);
  const again = { ...pickColumns(message, SAVED_MESSAGE_COLUMNS), id, dataFor: content ?? (() => message.data) };
  if (!isSameMessage(message, again)) throw new AlreadyExistsError(`Message "${id}" already exists`);
  const known = new Map([[id, message]]);
  const target = draft === null ? await locked.activeBranch() : await targetOf(locked, draft);
  const plan = new SavePlan(locked, change, viewer, target, known);
  await plan.add(again);
  return plan.finish();
}

/** A UI message with the text of all chunks and the draft's metadata. */
async function joined(drafts: LockedDrafts, draft: Draft, now: number): Promise<MessageInput['dataFor']> {
  const { text } = await contentOf(drafts, draft);
  readContent({ text }, 'content');
  return uiMessage(draft, text, { isIncomplete: draftState(draft, now) !== 'WRITING' });
}

/** The text of all chunks, and whether they have visible content. */
async function contentOf(drafts: LockedDrafts, draft: Draft): Promise<{ text: string; isEmpty: boolean }> {
  let [text, isEmpty] = ['', true];
  // Parsed piece by piece: parsed chunks take many times their length in memory.
  for (const piece of await drafts.pieces(draft)) {
    const chunks = JSON.parse(piece.chunks) as unknown[];
    text += textOf(chunks);
    isEmpty &&= !haveContent(chunks);
  }
  return { text, isEmpty };
}

function uiMessage(draft: Draft, text: string, { isIncomplete }: { isIncomplete: boolean }): MessageInput['dataFor'] {
  const given: unknown = draft.metadata === null ? undefined : JSON.parse(draft.metadata);
  const status = { status: 'incomplete' };
  const metadata = isIncomplete ? { ...(isJsonObject(given) ? given : { metadata: given }), ...status } : given;
  const parts = [{ type: 'text', text }];
  return (id, name): string => JSON.stringify({ id, role: name, ...(metadata !== undefined && { metadata }), parts });
}

/**
 * Finishes drafts without a writer and deletes ended drafts after a while. All servers of a database check; the lock of the
 * draft ensures that one of them makes the change.
 */
interface DraftKeeperOptions extends PeriodicOptions {
  store: ConversationStore;
  connection: Connection;
  /** Milliseconds without an append after which a draft is finished with its present content. */
  expireMs: number;
}

/** Milliseconds that an ended draft is kept for subscribers of other servers. */
const KEPT_FOR_MS = 10 * 60_000;

export function draftKeeper({ store, connection, expireMs, ...options }: DraftKeeperOptions): Periodic {
  const reads = createDraftReads(connection);
  return new Periodic(async () => {
    const expired = store.now() - expireMs;
    const forgotten = store.now() - KEPT_FOR_MS;
    await each(
      () => reads.idleDrafts(expired),
      (draft) => closeDraft(store, draft, expired),
    );
    await each(
      () => reads.endedDrafts(forgotten),
      (draft) => removeDraft(connection, draft),
    );
  }, options);

  /** Processes drafts in batches until no untried draft is left. A failed draft does not stop the others. */
  async function each(read: () => Promise<readonly Draft[]>, work: (draft: Draft) => Promise<void>): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const drafts = (await read()).filter(({ id }) => !tried.has(id));
      if (drafts.length === 0) return;
      for (const draft of drafts) {
        tried.add(draft.id);
        await work(draft).catch(options.onError);
      }
    }
  }
}
