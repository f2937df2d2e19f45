/** What becomes of a draft: the message, in the transaction in which the draft goes. */
import { v7 as newId } from 'uuid';
import { isPossibleId } from '../bounds.js';
import type { ChatChange } from '../change.js';
import { changeChat } from '../chats.js';
import { isSameMessage, readContent, type MessageContent, type MessageDraft } from '../content.js';
import { AlreadyExistsError, HeadConflictError } from '../errors.js';
import { isJsonObject } from '../merge-patch.js';
import { referredMessage } from '../messages.js';
import type { Branch, Viewer } from '../model.js';
import { knownMessages } from '../save.js';
import { SavePlan, type SaveOptions, type SaveOutcome } from '../save-plan.js';
import type { ConversationStore, LockedChat } from '../store.js';
import type { DraftKey } from './change-draft.js';
import { textOf, withinMessage } from './chunks.js';
import { draftNotFound, type Draft } from './draft.js';

/**
 * Saves the finished message where the draft was to go. Of one that is finished already, the message is answered.
 * @param request.content by default the text of the chunks, as a UI message with the draft's metadata
 * @throws InvalidInputError, NotFoundError, AlreadyExistsError, HeadConflictError
 */
export function finishDraft(
  store: ConversationStore,
  viewer: Viewer,
  request: DraftKey & { content?: MessageContent | null | undefined },
): Promise<SaveOutcome> {
  const content = request.content == null ? null : readContent(request.content, 'content');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const draft = isPossibleId(request.id) ? await locked.draft(request.id) : null;
    if (draft === null || draft.chatId !== locked.chat.id || draft.endedAt !== null) {
      return alreadyFinished(locked, change, viewer, request, { draft, content });
    }
    return save(locked, change, viewer, draft, content ?? (await joined(locked, draft)));
  });
}

/**
 * Ends a draft that nobody has written for long: as far as it came, or without a trace when it is empty. What it was to
 * reject on a branch that has moved on gets one of its own.
 * @param before milliseconds since 1970: what was written later stays
 */
export async function closeDraft(store: ConversationStore, { chatId, id, startedBy }: Draft, before: number) {
  const viewer: Viewer = { userId: startedBy, isAdmin: true };
  await store.change(chatId, startedBy, async (locked, change) => {
    const draft = await locked.draft(id);
    if (draft === null || draft.chatId !== chatId || draft.endedAt !== null || draft.updatedAt >= before) return;
    if (draft.length === 0) return change.endDraft({ ...draft, endedAt: change.now });
    const content = await joined(locked, draft, { status: 'incomplete' });
    const messageId = await freeId(locked, viewer, draft);
    try {
      await save(locked, change, viewer, draft, content, messageId);
    } catch (error) {
      if (!(error instanceof HeadConflictError)) throw error;
      await save(locked, change, viewer, { ...draft, onConflict: 'FORK' }, content, messageId);
    }
  });
}

/** The id of the message; another one when a message of another chat was given it meanwhile. */
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
  locked: LockedChat,
  change: ChatChange,
  viewer: Viewer,
  draft: Draft,
  dataFor: MessageDraft['dataFor'],
  id = draft.id,
): Promise<SaveOutcome> {
  const { name, parentId, onConflict } = draft;
  const known = await knownMessages(locked, viewer, [{ id }]);
  const options: SaveOptions =
    onConflict === 'PARENT'
      ? { parent: await referredMessage(locked, parentId ?? '') }
      : { expectedHeadId: parentId, onConflict };
  const plan = new SavePlan(locked, change, viewer, await targetOf(locked, draft), known, options);
  await plan.add({ id, name, type: 'message', dataFor });
  const outcome = await plan.finish();
  const { branch, messages } = outcome;
  change.endDraft({ ...draft, branchId: branch.id, endedAt: change.now, messageId: messages[0]?.id ?? id });
  return outcome;
}

/** The answer to somebody who has not got the first one. */
async function alreadyFinished(
  locked: LockedChat,
  change: ChatChange,
  viewer: Viewer,
  key: DraftKey,
  { draft, content }: { draft: Draft | null; content: MessageDraft['dataFor'] | null },
): Promise<SaveOutcome> {
  const id = draft?.messageId ?? key.id;
  const message = isPossibleId(id) ? (await locked.messages([id])).get(id) : undefined;
  if (message === undefined) throw draftNotFound(key);
  const { name, type } = message;
  const again = { id, name, type, dataFor: content ?? (() => message.data) };
  if (!isSameMessage(message, again)) throw new AlreadyExistsError(`Message "${id}" already exists`);
  const known = new Map([[id, message]]);
  const target = draft === null ? await locked.activeBranch() : await targetOf(locked, draft);
  const plan = new SavePlan(locked, change, viewer, target, known);
  await plan.add(again);
  return plan.finish();
}

/** The branch that it goes to; the active one when that has been deleted. */
async function targetOf(locked: LockedChat, { branchId }: Draft): Promise<Branch> {
  const branch = await locked.branchById(branchId);
  return (await locked.tip(branch?.name ?? null)) ?? locked.activeBranch();
}

/** A UI message of the text of all chunks, with the draft's metadata and some more. */
async function joined(
  locked: LockedChat,
  draft: Draft,
  more?: Record<string, string>,
): Promise<MessageDraft['dataFor']> {
  let text = '';
  // Parsed piece by piece: parsed chunks take many times their length.
  for (const piece of await locked.draftPieces(draft)) text += textOf(JSON.parse(piece.chunks) as unknown[]);
  const given: unknown = draft.metadata === null ? undefined : JSON.parse(draft.metadata);
  const metadata = more === undefined ? given : { ...(isJsonObject(given) ? given : { metadata: given }), ...more };
  // What nobody is there to shorten is cut, where the other way is to lose it.
  if (more === undefined) readContent({ text }, 'content');
  const parts = [{ type: 'text', text: more === undefined ? text : withinMessage(text) }];
  return (id, name): string => JSON.stringify({ id, role: name, ...(metadata !== undefined && { metadata }), parts });
}
