import pLimit from 'p-limit';
import { ContextError, invalid } from './errors.js';
import { isFragment, isMessageFragment, type ContextFragment } from './fragments/fragment.js';
import { checkFragment } from './fragments/fragment-tree.js';
import { toUIMessages } from './messages/decoded-path.js';
import { decodeWaiting, encodeWaiting, PendingList } from './messages/pending-list.js';
import type { UIMessage } from './messages/ui-message.js';
import { checkMessage, type WaitingMessage } from './messages/waiting-message.js';
import { Position, type ContextEngineOptions } from './position.js';
import { isRecord } from './record.js';
import type { SaveResult } from './save-result.js';
import type { ContextRenderer } from './renderers/context-renderer.js';
import { branchNotFound, checkpointNotFound, messageNotFound, type ContextStore } from './store/context-store.js';
import type { DraftData } from './store/draft-data.js';
import { checkKnown } from './store/known-fields.js';
import {
  toBranchInfo,
  toCheckpointInfo,
  type BranchData,
  type BranchInfo,
  type ChatData,
  type CheckpointInfo,
  type MessageData,
  type NewMessageData,
  type SavedMessages,
  type SaveOptions,
} from './store/store-data.js';
import { toSaveOptions } from './store/stored-json.js';
import { readDraft, type LeftDraft } from './streaming/left-draft.js';
import { MessageParts } from './streaming/message-parts.js';
import {
  openSource,
  peekId,
  takenUpId,
  type MessageSource,
  type OpenSource,
  type StreamOptions,
} from './streaming/message-source.js';
import { messageData, MessageStream } from './streaming/message-stream.js';

export interface ContextChatUpdates {
  /** null clears it. */
  title?: string | null | undefined;
  /** Changes the metadata by RFC 7396 (JSON Merge Patch): null removes a member. */
  metadata?: Record<string, unknown> | undefined;
}

export interface ResolveOptions {
  /** How the fragments are written. */
  renderer: ContextRenderer;
  /**
   * The message that the answer follows, as in `stream`: the messages end there, without the pending ones.
   * @default the head of the branch, followed by the pending messages
   */
  parentId?: string | undefined;
}

/** The input of a model call. */
export interface ResolveResult<Message extends UIMessage = UIMessage> {
  /** The fragments, rendered. */
  systemPrompt: string;
  /**
   * The messages, root first, as their codecs decode them, without UIMessages that have no parts. A saved UIMessage has the id of
   * its message in the graph. A message of another shape is returned unchanged: `isUIMessage` distinguishes it.
   */
  messages: Message[];
}

/** Where a stream has started. */
interface StreamOrigin {
  /** The branch of the engine. */
  branchId: string;
  /** Whether it is another version, by parentId. */
  isVersion: boolean;
}

export type EngineSaveOptions = Pick<SaveOptions, 'expectedHeadId' | 'onConflict'>;

const STREAM_OPTIONS = [
  'id',
  'name',
  'metadata',
  'idleTimeout',
  'parentId',
  'expectedHeadId',
  'onConflict',
  'takeUp',
] as const;

/**
 * Gathers what a model is told: fragments for the system prompt, which stay in memory, and messages, which save() puts into
 * the graph.
 *
 * An engine works on one branch. Others may write to it at the same time: saving appends to whatever is there, and resolving
 * reads the head anew. Its own calls take turns, in the order in which they were made.
 *
 * What the store and bad input make methods reject with is a ContextError. Whatever fails has written no message, and left
 * the pending ones as they were; UNAVAILABLE alone says that nobody knows.
 */
export class ContextEngine {
  readonly chatId: string;
  readonly userId: string;
  readonly #store: ContextStore;
  readonly #position: Position;
  /** Runs a call when those before it are over. */
  readonly #inTurn = pLimit(1);
  readonly #fragments: ContextFragment[] = [];
  readonly #pending = new PendingList();

  /** @throws ContextError when the store is none, or chatId or userId no text that is not empty */
  constructor(options: ContextEngineOptions) {
    checkOptions(options);
    const { store, chatId, userId } = options;
    this.chatId = chatId;
    this.userId = userId;
    this.#store = store;
    this.#position = new Position(options);
  }

  /** The name of the branch that the engine works on; 'main' until it has looked which is active. */
  get branch(): string {
    return this.#position.branchName;
  }

  /** The head of the branch when the engine last looked; null while the branch is empty, and before the first look. */
  get headMessageId(): string | null {
    return this.#position.headMessageId;
  }

  /** The chat when the engine last looked; null before the first look. */
  get chat(): ChatData | null {
    return this.#position.chat;
  }

  /** What goes into the system prompt. */
  get fragments(): readonly ContextFragment[] {
    return [...this.#fragments];
  }

  /** The messages that are not saved yet. */
  get pendingMessages(): readonly ContextFragment[] {
    return this.#pending.fragments;
  }

  /**
   * Takes fragments: messages wait for save(), all others are for the system prompt.
   * @throws ContextError that names the fragment and the reason; then none of them is taken
   */
  set(...fragments: ContextFragment[]): this {
    fragments.forEach((fragment, index) => {
      // Plain JavaScript may give anything.
      if (isFragment(fragment) && isMessageFragment(fragment)) checkMessage(fragment, String(index));
      else checkFragment(fragment, String(index));
    });
    this.#pending.add(fragments.filter(isMessageFragment));
    this.#fragments.push(...fragments.filter((fragment) => !isMessageFragment(fragment)));
    return this;
  }

  /** Takes all pending messages away, such as those that save() refuses, and answers them. */
  clearPending(): ContextFragment[] {
    const { fragments } = this.#pending;
    this.#pending.drop(this.#pending.snapshot());
    return fragments;
  }

  /**
   * The input of a model call: the rendered fragments, and the messages of the branch followed by the pending ones. It refuses
   * messages that save() would refuse, before a model is paid for a turn that cannot be saved.
   */
  resolve<Message extends UIMessage = UIMessage>(options: ResolveOptions): Promise<ResolveResult<Message>> {
    const { fragments } = this;
    return this.#withPending(async (pending) => {
      const systemPrompt = rendererOf(options).render(fragments);
      const { parentId } = options;
      if (parentId !== undefined) return { systemPrompt, messages: toUIMessages(await this.#chain(parentId)) };
      encodeWaiting(pending);
      const { headMessageId } = await this.#position.refresh();
      const path = headMessageId === null ? [] : await this.#store.getMessageChain(headMessageId);
      const waiting = decodeWaiting(path, pending).map(({ message }) => message);
      return { systemPrompt, messages: toUIMessages(path, waiting) };
    });
  }

  /**
   * Puts the pending messages into the graph, all or nothing, each behind the one before it, and the first at the end of the
   * branch. One whose id is in the chat already is another version of that message: it goes beside it, under a new id, on a
   * new branch, on which the engine goes on. Sent again with the same content, it is recognised and not written twice; but
   * not always when the lost answer was to several lazy messages or edits, or others have written in between.
   * @param options the head that the caller has seen, and what to do when it is another; with nothing pending none is compared
   */
  save(options: EngineSaveOptions = {}): Promise<SaveResult> {
    return this.#withPending(async (pending) => {
      const asked = toSaveOptions(checkKnown(options, ['expectedHeadId', 'onConflict']));
      const messages = encodeWaiting(pending);
      const own = await this.#position.begin();
      const saved =
        messages.length === 0
          ? { branch: own, messages: [], branched: false }
          : await this.#store.saveMessages(this.chatId, messages, { ...asked, branch: own.name });
      const branch = (await this.#isLeft(own, messages, saved, asked)) ? saved.branch : own;
      this.#pending.drop(pending);
      this.#position.moveTo(branch);
      return { ...saved, branch: toBranchInfo(branch) };
    });
  }

  /**
   * Writes a message while it passes through: as a draft, which every client can follow, and which is saved at the end of the branch
   * after the last chunk. Pending messages are saved before, unless parentId is given.
   *
   * The chunks of the AI SDK's UI message stream (5, 6 and 7) are assembled as the SDK does, strings as a text. Other chunks are visible
   * to followers of the draft, and are no part of the message.
   *
   * The engine moves to the branch of the message, unless it has moved since. Another version, by parentId, moves it only to the
   * active branch: a chat that has moved on stays where it is, and so does the engine.
   * @param source the chunks, or a function that opens them with a signal, which a stop from anywhere aborts
   * @returns the chunks as they pass through: only read or left streams are written; see MessageStream
   */
  async stream<Chunk>(source: MessageSource<Chunk>, options: StreamOptions = {}): Promise<MessageStream<Chunk>> {
    const { takeUp, expectedHeadId, ...asked } = checkKnown(options, STREAM_OPTIONS);
    const left = takenUpId({ id: asked.id, takeUp });
    if (left !== null) return this.#takeUp(source, left, asked.idleTimeout);
    const { parentId } = asked;
    const seen = expectedHeadId === undefined ? {} : { expectedHeadId };
    const conflict = { ...seen, onConflict: asked.onConflict ?? 'FORK' } as const;
    const hasPending = parentId === undefined && this.#pending.fragments.length > 0;
    const hasSaved = hasPending && (await this.save(conflict)).messages.length > 0;

    const stop = new AbortController();
    const opened = await openSource(source, { signal: stop.signal, chunks: [], message: null });
    const first = asked.id === undefined ? await peekId(opened) : { id: asked.id, source: opened };
    const id = first.id ?? crypto.randomUUID();
    try {
      const [own, draft] = await this.#inTurn(async () => {
        const branch = await this.#position.begin();
        const place = { branch: branch.name, ...(hasSaved ? { expectedHeadId: branch.headMessageId } : seen) };
        return [branch, await this.#store.startDraft(this.chatId, { ...asked, ...place, id })] as const;
      });
      if (draft.length > 0) throw new ContextError('ALREADY_EXISTS', `Draft "${id}" already exists`);
      const parts = new MessageParts(draft.metadata ?? undefined);
      return this.#streamOf({ draft, chunks: [], parts }, first.source, stop, asked.idleTimeout, {
        branchId: own.id,
        isVersion: parentId !== undefined,
      });
    } catch (error) {
      void (async () => opened.chunks.return?.())().catch(() => {});
      throw error;
    }
  }

  /**
   * Saves a draft that its writer has left, as far as it came: `"status": "incomplete"` in its metadata says so, unless it was
   * whole. To go on with one instead, `stream` takes it up.
   * @returns null when there was nothing in it, and it was discarded
   */
  async finishDraft(id: string): Promise<SaveResult | null> {
    const { draft, parts } = await readDraft(this.#store, this.chatId, id);
    const isBroken = parts.isBroken || !parts.hasEnded;
    if (isBroken && parts.isEmpty) {
      await this.#store.discardDraft(this.chatId, id);
      return null;
    }
    return this.#finishDraft(draft, messageData(parts, { id, name: draft.name, isBroken }), null);
  }

  /**
   * Goes back to a message: a new active branch that ends there, on which the engine goes on. Nothing is deleted, but what was
   * pending when it was called was meant for the old branch, and is dropped.
   */
  rewind(messageId: string): Promise<BranchInfo> {
    return this.#leave(
      () => messageNotFound(messageId),
      () => this.#newBranch(messageId, true),
    );
  }

  /** A new branch at the head, for a question by the way. The engine stays where it is, and keeps what is pending. */
  btw(): Promise<BranchInfo> {
    return this.#inTurn(async () => {
      const headMessageId = await this.#head();
      if (headMessageId === null) throw invalid('Cannot create btw branch: no messages in conversation');
      return toBranchInfo(await this.#newBranch(headMessageId, false));
    });
  }

  /** Makes another branch the active one, on which the engine goes on. What was pending is dropped, as by rewind. */
  switchBranch(name: string): Promise<BranchInfo> {
    const notFound = () => branchNotFound(name, this.chatId);
    return this.#leave(notFound, () => this.#store.setActiveBranch(this.chatId, name));
  }

  /** Names the head, to come back to it. A checkpoint of this name is moved. */
  checkpoint(name: string): Promise<CheckpointInfo> {
    return this.#inTurn(async () => {
      const messageId = await this.#head();
      if (messageId === null) throw invalid('Cannot create checkpoint: no messages in conversation');
      return toCheckpointInfo(await this.#store.createCheckpoint({ chatId: this.chatId, name, messageId }));
    });
  }

  /** Goes back to a checkpoint, as rewind does to a message. */
  restore(name: string): Promise<BranchInfo> {
    const notFound = () => checkpointNotFound(name, this.chatId);
    return this.#leave(notFound, async () => {
      const checkpoint = await this.#store.getCheckpoint(this.chatId, name);
      if (checkpoint === null) throw notFound();
      return this.#newBranch(checkpoint.messageId, true);
    });
  }

  /** Changes the chat's title, and its metadata by RFC 7396 (JSON Merge Patch): null removes a member. */
  updateChat(changes: ContextChatUpdates): Promise<ChatData> {
    return this.#inTurn(async () => {
      const { title, metadata } = changes;
      if (metadata !== undefined && !isRecord(metadata)) throw invalid('metadata must be an object', 'metadata');
      await this.#position.begin();
      const updates = { ...(title !== undefined && { title }), ...(metadata && { metadataPatch: metadata }) };
      this.#position.chat = await this.#store.updateChat(this.chatId, updates);
      return this.#position.chat;
    });
  }

  /**
   * An engine with the same fragments and a chat of its own, without messages: for a side task that needs to know the same and
   * shall leave no trace in this conversation.
   * @param options in place of the same store, the same user, and a new chat
   */
  fork(options: Partial<ContextEngineOptions> = {}): ContextEngine {
    const { store = this.#store, chatId = crypto.randomUUID(), userId = this.userId } = options;
    return new ContextEngine({ ...options, store, chatId, userId }).set(...this.#fragments);
  }

  async #takeUp<Chunk>(
    source: MessageSource<Chunk>,
    id: string,
    idleTimeout: number | undefined,
  ): Promise<MessageStream<Chunk>> {
    const left = await readDraft(this.#store, this.chatId, id);
    const { draft, chunks, parts } = left;
    const stop = new AbortController();
    const message = chunks.length === 0 ? null : parts.message(id, draft.name);
    const opened = await openSource(source, { signal: stop.signal, chunks, message });
    return this.#streamOf(left, opened, stop, idleTimeout, null);
  }

  #streamOf<Chunk>(
    { draft, parts }: LeftDraft,
    { chunks, isTold }: OpenSource<Chunk>,
    stop: AbortController,
    idleTimeout: number | undefined,
    from: StreamOrigin | null,
  ): MessageStream<Chunk> {
    const { id, name, length } = draft;
    const finish = (data: unknown) => this.#finishDraft(draft, data, from);
    const where = { store: this.#store, chatId: this.chatId, id, name, length, idleTimeout };
    return new MessageStream({ ...where, parts, source: chunks, isTold, stop, finish });
  }

  /** @param from null for a draft that another writer has started */
  #finishDraft({ id }: DraftData, data: unknown, from: StreamOrigin | null): Promise<SaveResult> {
    return this.#inTurn(async () => {
      const saved = await this.#store.finishDraft(this.chatId, id, { data });
      const { branch, branched } = saved;
      const here = this.#position.branchId;
      // The engine follows its own answer unless it has moved since; another version only to where the chat has moved.
      const isOwn = from !== null && from.branchId === here && (!from.isVersion || branch.isActive);
      if (branch.id === here || (from === null ? branched : isOwn)) this.#position.moveTo(branch);
      return { ...saved, branch: toBranchInfo(branch) };
    });
  }

  /** Runs a call in its turn with what was pending when it was made, and has not been taken by one before it. */
  #withPending<T>(call: (pending: readonly WaitingMessage[]) => Promise<T>): Promise<T> {
    const snapshot = this.#pending.snapshot();
    return this.#inTurn(() => call(this.#pending.left(snapshot)));
  }

  /**
   * Whether a save has left the engine's branch: for another version of a message or by FORK, now or when an answer was lost. A
   * retry of anything else names some branch that ends in the last message, which is no reason to go there.
   */
  async #isLeft(
    own: BranchData,
    sent: readonly NewMessageData[],
    saved: SavedMessages,
    { onConflict }: EngineSaveOptions,
  ): Promise<boolean> {
    const { branch, messages, branched } = saved;
    if (branched || branch.id === own.id) return true;
    if (sent.some(({ id }, index) => id !== undefined && messages[index]?.id !== id)) return true;
    if (onConflict !== 'FORK' && sent.every(({ id }) => id !== undefined)) return false;
    // A lazy one: its version was recognised, or it says what the branch says already. By FORK it may stand elsewhere.
    const { headMessageId } = await this.#position.refresh();
    const path = headMessageId === null ? [] : await this.#store.getMessageChain(headMessageId);
    return !path.some(({ id }) => id === messages.at(-1)?.id);
  }

  /** The path to a message of this chat, root first. */
  async #chain(messageId: string): Promise<MessageData[]> {
    const path = await this.#store.getMessageChain(messageId);
    if (path.at(-1)?.chatId !== this.chatId) throw messageNotFound(messageId);
    return path;
  }

  /** The head as it is now; null also where there is no chat yet. */
  async #head(): Promise<string | null> {
    return (await this.#position.current())?.headMessageId ?? null;
  }

  #newBranch(headMessageId: string, isActive: boolean): Promise<BranchData> {
    return this.#store.createBranch({ chatId: this.chatId, headMessageId, isActive });
  }

  /**
   * Goes over to the branch that a call answers, without what is pending now.
   * @param notFound what is thrown where there is no chat yet, and so nothing to go to
   */
  #leave(notFound: () => ContextError, call: () => Promise<BranchData>): Promise<BranchInfo> {
    const pending = this.#pending.snapshot();
    return this.#inTurn(async () => {
      if ((await this.#position.find()) === null) throw notFound();
      const branch = await call();
      this.#pending.drop(pending);
      this.#position.moveTo(branch);
      return toBranchInfo(branch);
    });
  }
}

/** Plain JavaScript may leave out what must be given. */
function checkOptions({ store, chatId, userId }: ContextEngineOptions): void {
  if (typeof (store as Partial<ContextStore> | undefined)?.upsertChat !== 'function') {
    throw invalid('store must be a ContextStore', 'store');
  }
  for (const [path, value] of Object.entries({ chatId, userId })) {
    if (typeof value !== 'string' || value === '') throw invalid(`${path} must be a text that is not empty`, path);
  }
}

function rendererOf(options: Partial<ResolveOptions> | undefined): ContextRenderer {
  const renderer = options?.renderer as Partial<ContextRenderer> | undefined;
  if (typeof renderer?.render !== 'function') throw invalid('renderer must be a ContextRenderer', 'renderer');
  return renderer as ContextRenderer;
}
