/** Imports one conversation into one chat: a new chat, or the new part of one that was imported before. */
import { type ChatChange, NewChat } from '../../../conversation/change.js';
import { FIRST_BRANCH } from '../../../conversation/branches/branch-names.js';
import { InvalidInputError } from '../../../conversation/errors.js';
import type { Branch, Message } from '../../../conversation/model.js';
import { paced } from '../../../scheduler/lock-pacing.js';
import type { ConversationStore, LockedChat } from '../../../conversation/store.js';
import {
  chatTitle,
  importedChatId,
  nodeTimes,
  type NodeTimes,
  type SourceConversation,
  type SourceNode,
  UnreadableError,
} from '@parley/interchange/server';
import { NodeAppender, NODES_PER_STEP, refuseIfLeased } from './append-nodes.js';
import { EmptyChat } from './empty-chat.js';
import { activeMessage, importRecord, withImportRecord, type ImportRecord } from './import-record.js';
import { KnownMessages } from './known-messages.js';
import { RUNS_PER_STEP, TreeSaver, type PendingNode } from './save-tree.js';
import { nothingSaved, type SavedTree } from './saved-tree.js';

export interface ImportOutcome extends SavedTree {
  chatId: string;
  result: 'imported' | 'updated' | 'unchanged';
}

/**
 * A large conversation is written in several transactions: a repeated call continues after an interrupted one.
 * @param into the chat of a shorter file of the conversation; null for the chat of its id
 * @throws UnreadableError, InvalidInputError, ImportUnderWayError, ChangedMeanwhileError
 */
export async function importConversation(
  store: ConversationStore,
  userId: string,
  from: SourceConversation,
  into: string | null = null,
): Promise<ImportOutcome> {
  const chatId = into ?? importedChatId(userId, from.source, from.conversationId);
  const chat = await store.chat(chatId);
  if (into !== null && (chat?.userId !== userId || importRecord(chat.metadata)?.source !== from.source)) {
    throw new UnreadableError(`Chat "${into}" is no chat of user "${userId}" that was imported from this format`);
  }
  if (chat === null) {
    const { change, saved } = await newChat(store, userId, chatId, from);
    if (await store.createInSteps(change)) return { chatId, result: 'imported', ...saved };
  }
  const times = nodeTimes(from);
  const appender = from.nodes.length > NODES_PER_STEP ? new NodeAppender(store, userId, chatId, from, times) : null;
  await appender?.append();
  const outcome: ImportOutcome = { chatId, result: 'unchanged', ...(appender?.saved ?? nothingSaved()) };
  const add = (pending: readonly PendingNode[] | null, begin = () => {}) =>
    store.change(chatId, userId, (locked, change) => {
      begin();
      if (locked.chat.userId !== userId) throw new UnreadableError(`Chat "${chatId}" belongs to another user`);
      const saved = { ...outcome, messageIds: [], changedMessages: 0 };
      return addNewNodes(locked, change, { from, times, appender, pending, saved });
    });
  let pending: readonly PendingNode[] | null = null;
  do {
    const rest: readonly PendingNode[] | null = pending;
    const added: Added | null = await (appender === null ? add(rest) : paced((begin) => add(rest, begin)));
    if (added === null) throw new UnreadableError('One of its messages is in another chat already');
    if (added.isChanged) outcome.result = 'updated';
    for (const id of added.saved.messageIds) outcome.messageIds.push(id);
    outcome.changedMessages += added.saved.changedMessages;
    pending = added.pending;
  } while (pending.length > 0);
  return outcome;
}

/** A new conversation, ready to be written. */
export interface PreparedChat {
  change: NewChat;
  saved: SavedTree;
}

/** @returns null when the conversation was imported before */
export async function prepareConversation(
  store: ConversationStore,
  userId: string,
  from: SourceConversation,
): Promise<PreparedChat | null> {
  const chatId = importedChatId(userId, from.source, from.conversationId);
  return (await store.chat(chatId)) === null ? newChat(store, userId, chatId, from) : null;
}

/** The conversation under the id that a former version derived, if its chat has the same content; else the same one. */
export async function underFormerId(
  store: ConversationStore,
  userId: string,
  from: SourceConversation,
): Promise<SourceConversation> {
  const { formerId } = from;
  if (formerId == null) return from;
  const chatId = importedChatId(userId, from.source, formerId);
  const chat = await store.chat(chatId);
  if (chat?.userId !== userId || importRecord(chat.metadata)?.activeNode !== from.activeNode) return from;
  const found = await store.change(chatId, userId, async (locked) => {
    const known = await KnownMessages.of(locked, from);
    const isSame = ({ id }: SourceNode) => known.get(known.idOf(id)) !== undefined && !known.isVersion(id);
    return from.nodes.every(isSame) ? { ...from, conversationId: formerId } : from;
  });
  return found ?? from;
}

async function newChat(
  store: ConversationStore,
  userId: string,
  id: string,
  from: SourceConversation,
): Promise<PreparedChat> {
  const now = store.now();
  const times = nodeTimes(from);
  const createdAt = from.createdAt ?? times.oldest ?? now;
  // Some files use another unit: never before the creation.
  const updatedAt = Math.max(createdAt, from.updatedAt ?? times.newest ?? createdAt);
  const metadata = withImportRecord('{}', from, from.activeNode, null);
  const chat = { id, userId, title: chatTitle(from.title), metadata, createdAt, updatedAt };
  const change = new NewChat(chat, userId, now);
  change.updatedAt = updatedAt;
  const empty = new EmptyChat(change);
  const move = from.activeNode === null ? null : { branch: await empty.activeBranch(), to: from.activeNode };
  const known = new KnownMessages(id);
  const saver = new TreeSaver(empty, change, from, known, move);
  await saver.save(pendingNodes(from, times, known));
  return { change, saved: saver.saved };
}

/**
 * The nodes without a branch: appended ones in the order of their seqs, then new ones.
 * @param afterSeq appended messages have higher seqs
 */
function pendingNodes(
  { nodes }: SourceConversation,
  times: NodeTimes,
  known: KnownMessages,
  afterSeq = Infinity,
): PendingNode[] {
  const pending: (PendingNode & { seq: number })[] = [];
  for (const [n, node] of nodes.entries()) {
    const seq = known.get(known.idOf(node.id))?.seq ?? Number.MAX_SAFE_INTEGER;
    if (seq > afterSeq || seq === Number.MAX_SAFE_INTEGER)
      pending.push({ node, createdAt: times.each[n] ?? null, seq });
  }
  return pending.sort((one, other) => one.seq - other.seq);
}

interface Added {
  saved: SavedTree;
  isChanged: boolean;
  /** Nodes for the next transaction. */
  pending: readonly PendingNode[];
}

interface NewContent {
  from: SourceConversation;
  times: NodeTimes;
  /** Has already written the messages of a large conversation; branches are then written in steps. */
  appender: NodeAppender | null;
  /** The nodes that the previous transaction left; null in the first one. */
  pending: readonly PendingNode[] | null;
  saved: SavedTree;
}

async function addNewNodes(
  locked: LockedChat,
  change: ChatChange,
  { from, times, appender, pending: rest, saved }: NewContent,
): Promise<Added> {
  const { chat } = locked;
  const record = importRecord(chat.metadata);
  const open = await locked.openImport();
  if (appender === null) refuseIfLeased(open, chat.id);
  else appender.check(open);
  const known = appender?.known ?? (await KnownMessages.of(locked, from));
  const isOlder = isOlderExport(from, record);
  const move = isOlder ? null : await moveOfMain(locked, from, record);

  const afterSeq = open?.afterSeq ?? undefined;
  const saver = new TreeSaver(locked, change, from, known, move, saved, afterSeq);
  if (move !== null && rest === null) {
    const left = await headLeftBehind(locked, from, known, move);
    if (left !== null) await saver.keep(left);
  }
  const nodes = rest ?? pendingNodes(from, times, known, afterSeq);
  const done = await saver.save(nodes, appender === null ? Infinity : RUNS_PER_STEP);
  const pending = nodes.slice(done);
  const lastDone = nodes[done - 1];
  if (appender !== null && pending.length > 0 && lastDone !== undefined) {
    change.openImport = appender.lease(known.get(known.idOf(lastDone.node.id))?.seq ?? null);
  } else if (open !== null) change.openImport = null;
  // Files with the same content can have different titles.
  const isCopy = from.formerId !== undefined && saved.messageIds.length === 0;
  const isMainMoved = move !== null && change.branches.has(move.branch.id);
  if (
    (pending.length === 0 || isMainMoved) &&
    !isOlder &&
    !isCopy &&
    (record !== null || saved.messageIds.length > 0)
  ) {
    updateFields(locked, change, from, known, record, move?.to ?? null);
  }
  // Never earlier: the chat may have changed here since.
  change.updatedAt = Math.max(chat.updatedAt, updateTimeOf(from, times, change.now));
  return { saved, isChanged: change.events.length > 0, pending };
}

function updateTimeOf(from: SourceConversation, times: NodeTimes, now: number): number {
  return from.updatedAt ?? times.newest ?? now;
}

/** An export older than the last one adds missing messages and reverts nothing. */
function isOlderExport(from: SourceConversation, record: ImportRecord | null): boolean {
  return from.updatedAt !== null && record?.updatedAt != null && from.updatedAt < record.updatedAt;
}

/** Main follows the export until a user moves it away from the last import's position. */
async function moveOfMain(
  locked: LockedChat,
  from: SourceConversation,
  record: ImportRecord | null,
): Promise<{ branch: Branch; to: string } | null> {
  if (record === null || from.activeNode === null) return null;
  const branch = await locked.branch(FIRST_BRANCH);
  if (branch === null) return null;
  return branch.headMessageId === activeMessage(locked.chat.id, record) ? { branch, to: from.activeNode } : null;
}

/** Main's head, when moving main would leave it unreachable: no other branch and no reply leads to it. */
async function headLeftBehind(
  locked: LockedChat,
  from: SourceConversation,
  known: KnownMessages,
  move: { branch: Branch; to: string },
): Promise<Message | null> {
  const { id, headMessageId } = move.branch;
  if (headMessageId === null || known.idOf(move.to) === headMessageId) return null;
  if (from.nodes.some((node) => node.parentId !== null && known.idOf(node.parentId) === headMessageId)) return null;
  if ((await locked.branchesAt(headMessageId)).some((branch) => branch.id !== id)) return null;
  if ((await locked.childCount(headMessageId)) > 0) return null;
  // The export may no longer contain it.
  return known.get(headMessageId) ?? (await locked.messages([headMessageId])).get(headMessageId) ?? null;
}

/**
 * Title and record according to this export; a title that a user changed stays.
 * @param movedTo the node that main now points to; null when it did not move
 */
function updateFields(
  locked: LockedChat,
  change: ChatChange,
  from: SourceConversation,
  known: KnownMessages,
  record: ImportRecord | null,
  movedTo: string | null,
): void {
  const { chat } = locked;
  const isTitleOfImport = record !== null && chat.title === chatTitle(record.title);
  const title = isTitleOfImport ? chatTitle(from.title) : chat.title;
  const node = movedTo ?? record?.activeNode ?? null;
  const version =
    movedTo === null ? (record?.activeVersion ?? null) : known.isVersion(movedTo) ? known.idOf(movedTo) : null;
  const metadata = metadataIfItFits(chat.metadata, from, node, version);
  if (title !== chat.title || metadata !== chat.metadata) change.updateChat({ title, metadata });
}

/** Users may have filled the metadata since; then it stays unchanged. */
function metadataIfItFits(
  before: string,
  from: SourceConversation,
  activeNode: string | null,
  activeVersion: string | null,
): string {
  try {
    return withImportRecord(before, from, activeNode, activeVersion);
  } catch (error) {
    if (error instanceof InvalidInputError) return before;
    throw error;
  }
}
