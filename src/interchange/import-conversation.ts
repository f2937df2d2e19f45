/** One conversation into one chat, all or nothing: a new chat, or what is new in one that was imported before. */
import type { ChatChange } from '../conversation/change.js';
import { NewChat } from '../conversation/change.js';
import { FIRST_BRANCH } from '../conversation/branch-names.js';
import { InvalidInputError } from '../conversation/errors.js';
import type { Branch, Message } from '../conversation/model.js';
import type { ConversationStore, LockedChat } from '../conversation/store.js';
import { EmptyChat } from './empty-chat.js';
import { importedChatId, importedMessageId } from './import-ids.js';
import { chatTitle, importRecord, withImportRecord, type ImportRecord } from './import-record.js';
import { TreeSaver, type SavedTree } from './save-tree.js';
import type { SourceConversation } from './source-conversation.js';
import { secondsToMs } from './times.js';
import { UnreadableError } from './unreadable.js';

/** Messages asked for at once: so few that the answer is a text of a possible length even if each has 1 MiB. */
const MESSAGES_PER_LOOK = 200;

export interface ImportOutcome extends SavedTree {
  chatId: string;
  result: 'imported' | 'updated' | 'unchanged';
}

/** @throws UnreadableError, InvalidInputError; then nothing of the conversation was written */
export async function importConversation(
  store: ConversationStore,
  userId: string,
  from: SourceConversation,
): Promise<ImportOutcome> {
  const chatId = importedChatId(userId, from.source, from.conversationId);
  if ((await store.chat(chatId)) === null) {
    const { change, saved } = await newChat(store, userId, chatId, from);
    if (await store.create(change)) return { chatId, result: 'imported', ...saved };
  }
  const outcome = await store.change(chatId, userId, async (locked, change) => {
    if (locked.chat.userId !== userId) throw new UnreadableError(`Chat "${chatId}" belongs to somebody else`);
    const saved = await addWhatIsNew(locked, change, from);
    return { chatId, result: change.isEmpty ? ('unchanged' as const) : ('updated' as const), ...saved };
  });
  if (outcome === null) throw new UnreadableError('One of its messages is in another chat already');
  return outcome;
}

async function newChat(
  store: ConversationStore,
  userId: string,
  id: string,
  from: SourceConversation,
): Promise<{ change: NewChat; saved: SavedTree }> {
  const now = store.now();
  const createdAt = secondsToMs(from.createTime) ?? now;
  const updatedAt = secondsToMs(from.updateTime) ?? now;
  const metadata = withImportRecord('{}', from, from.activeNode);
  const chat = { id, userId, title: chatTitle(from.title), metadata, createdAt, updatedAt };
  const change = new NewChat(chat, userId, now);
  change.updatedAt = updatedAt;
  const empty = new EmptyChat(change);
  const move = from.activeNode === null ? null : { branch: await empty.activeBranch(), to: from.activeNode };
  return { change, saved: await new TreeSaver(empty, change, from, new Map(), move).save() };
}

async function addWhatIsNew(locked: LockedChat, change: ChatChange, from: SourceConversation): Promise<SavedTree> {
  const { chat } = locked;
  const record = importRecord(chat.metadata);
  const known = await knownMessages(locked, from);
  const isOlder = isOlderExport(from, record);
  const move = isOlder ? null : await moveOfMain(locked, from, record);

  const saver = new TreeSaver(locked, change, from, known, move);
  if (move !== null && (await leavesHeadBehind(locked, from, move))) {
    const head = known.get(move.branch.headMessageId ?? '');
    if (head !== undefined) await saver.keep(head);
  }
  const saved = await saver.save();
  if (!isOlder && (record !== null || saved.newMessages > 0)) {
    updateFields(locked, change, from, record, move?.to ?? record?.activeNode ?? null);
  }
  // Never back: the chat may have been changed here since.
  change.updatedAt = Math.max(chat.updatedAt, secondsToMs(from.updateTime) ?? change.now);
  return saved;
}

async function knownMessages(locked: LockedChat, from: SourceConversation): Promise<Map<string, Message>> {
  const { id } = locked.chat;
  const known = new Map<string, Message>();
  for (let i = 0; i < from.nodes.length; i += MESSAGES_PER_LOOK) {
    const ids = from.nodes.slice(i, i + MESSAGES_PER_LOOK).map((node) => importedMessageId(id, node.id));
    for (const message of (await locked.takenBy(ids)).values()) {
      if (message.chatId !== id) throw new UnreadableError('One of its messages is in another chat already');
      known.set(message.id, message);
    }
  }
  return known;
}

/** An export that is older than the last one adds the messages that are missing, and takes nothing back. */
function isOlderExport(from: SourceConversation, record: ImportRecord | null): boolean {
  return from.updateTime !== null && record?.updateTime != null && from.updateTime < record.updateTime;
}

/** Main follows the export as long as it stands where the last import has put it; after that it is the user's. */
async function moveOfMain(
  locked: LockedChat,
  from: SourceConversation,
  record: ImportRecord | null,
): Promise<{ branch: Branch; to: string } | null> {
  if (record === null || from.activeNode === null) return null;
  const branch = await locked.branch(FIRST_BRANCH);
  if (branch === null) return null;
  const head = record.activeNode === null ? null : importedMessageId(locked.chat.id, record.activeNode);
  return branch.headMessageId === head ? { branch, to: from.activeNode } : null;
}

/** Whether nothing else would lead to main's head once main has moved: no other branch, no reply, old or new. */
async function leavesHeadBehind(
  locked: LockedChat,
  from: SourceConversation,
  move: { branch: Branch; to: string },
): Promise<boolean> {
  const { id, headMessageId } = move.branch;
  const idOf = (nodeId: string) => importedMessageId(locked.chat.id, nodeId);
  if (headMessageId === null || idOf(move.to) === headMessageId) return false;
  if (from.nodes.some((node) => node.parentId !== null && idOf(node.parentId) === headMessageId)) return false;
  if ((await locked.branchesAt(headMessageId)).some((branch) => branch.id !== id)) return false;
  return (await locked.childCount(headMessageId)) === 0;
}

/** Title and record as of this export; a title that the user has changed here stays. */
function updateFields(
  locked: LockedChat,
  change: ChatChange,
  from: SourceConversation,
  record: ImportRecord | null,
  activeNode: string | null,
): void {
  const { chat } = locked;
  const isTitleOfImport = record !== null && chat.title === chatTitle(record.title);
  const title = isTitleOfImport ? chatTitle(from.title) : chat.title;
  const metadata = metadataIfItFits(chat.metadata, from, activeNode);
  if (title !== chat.title || metadata !== chat.metadata) change.updateChat({ title, metadata });
}

/** The user may have filled the metadata since: then it stays as it is. */
function metadataIfItFits(before: string, from: SourceConversation, activeNode: string | null): string {
  try {
    return withImportRecord(before, from, activeNode);
  } catch (error) {
    if (error instanceof InvalidInputError) return before;
    throw error;
  }
}
