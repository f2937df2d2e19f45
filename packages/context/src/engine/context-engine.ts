import pLimit from 'p-limit';
import { invalid } from '../errors.js';
import { computeFragments, isComputed, isPlainMessage, type ComputedFragment } from '../fragments/fragment-source.js';
import { isFragment, isMessageFragment, type ContextFragment } from '../fragments/fragment.js';
import { checkFragment } from '../fragments/fragment-tree.js';
import { PendingList } from './pending-list.js';
import type { UIMessage } from '../messages/ui-message.js';
import { checkMessage, type WaitingMessage } from './waiting-message.js';
import { isRecord } from '../record.js';
import type { SaveResult } from '../save-result.js';
import { chatNotFound } from '../store/context-store.js';
import { checkKnown } from '../store/known-fields.js';
import { withRules } from '../store/row-store.js';
import type { BranchInfo, ChatData, CheckpointInfo, ComparisonData, PlaceData } from '../store/store-data.js';
import { toSaveOptions } from '../store/stored-json.js';
import type { MessageSource, StreamOptions } from '../streaming/message-source.js';
import type { MessageStream } from '../streaming/message-stream.js';
import { BranchMoves } from './branch-moves.js';
import { DraftStreams } from './draft-streams.js';
import type { EngineState } from './engine-state.js';
import { savePending, saveSummary, type EngineSaveOptions } from './pending-saves.js';
import { merge, type MergeOptions } from './merge.js';
import { countTurns, ModelInput } from './model-input.js';
import { checkOptions, Position, type ContextEngineOptions } from './position.js';
import { recall, type RecallOptions } from './recall.js';
import type { ContextEstimate, ContextInspection, ResolveOptions, ResolveResult } from './resolve-options.js';

export interface ContextChatUpdates {
  /** null clears it. */
  title?: string | null | undefined;
  /** Changes the metadata by RFC 7396 (JSON Merge Patch): null removes a member. */
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Collects the input of a model call: fragments for the system prompt, which stay in memory, and messages, which save() writes to
 * the graph.
 *
 * An engine works on one branch. Other writers can change it at the same time: save() appends to the current head, and resolve()
 * reads the head again. Calls of one engine run one after another, in the order in which they were made.
 *
 * Methods reject with a ContextError for invalid input and failures of the store. After an error, no message is written and the
 * pending messages are unchanged; after UNAVAILABLE, messages can have been written.
 */
export class ContextEngine {
  readonly chatId: string;
  readonly userId: string;
  readonly #state: EngineState;
  readonly #fragments: (ContextFragment | ComputedFragment)[] = [];
  readonly #branches: BranchMoves;
  readonly #drafts: DraftStreams;

  /** @throws ContextError when store is not a ContextStore, or chatId or userId is not a non-empty string */
  constructor(options: ContextEngineOptions) {
    checkOptions(options);
    const { chatId, userId } = options;
    const store = withRules(options.store);
    this.chatId = chatId;
    this.userId = userId;
    const position = new Position({ ...options, store });
    this.#state = { store, chatId, position, pending: new PendingList(), inTurn: pLimit(1) };
    this.#branches = new BranchMoves(this.#state);
    this.#drafts = new DraftStreams(this.#state, (conflict) => this.save(conflict));
  }

  /** The name of the engine's branch; 'main' before the first request finds the active one. */
  get branch(): string {
    return this.#state.position.branchName;
  }

  /** The head of the branch after the last request; null while the branch is empty, and before the first request. */
  get headMessageId(): string | null {
    return this.#state.position.headMessageId;
  }

  /** The chat after the last request; null before the first request. */
  get chat(): ChatData | null {
    return this.#state.position.chat;
  }

  /** The fragments of the system prompt, without computed ones. */
  get fragments(): readonly ContextFragment[] {
    return this.#fragments.filter((fragment): fragment is ContextFragment => !isComputed(fragment));
  }

  /** The messages that are not saved yet. */
  get pendingMessages(): readonly ContextFragment[] {
    return this.#state.pending.fragments;
  }

  /**
   * Adds fragments: messages are pending until save(), all others belong to the system prompt.
   * @param fragments also functions, which each model call runs again, and promises
   * @throws ContextError that names the fragment and the reason; then none is added
   */
  set(...fragments: (ContextFragment | ComputedFragment)[]): this {
    fragments.forEach((fragment, index) => {
      // The next model call reports a rejection. Arguments are unchecked when called from JavaScript.
      if (isComputed(fragment)) Promise.resolve(fragment).catch(() => {});
      else if (isFragment(fragment) && isMessageFragment(fragment)) checkMessage(fragment, String(index));
      else checkFragment(fragment, String(index));
    });
    this.#state.pending.add(fragments.filter(isPlainMessage));
    this.#fragments.push(...fragments.filter((fragment) => !isPlainMessage(fragment)));
    return this;
  }

  /** Removes all pending messages, such as those that save() refuses, and returns them. */
  clearPending(): ContextFragment[] {
    const { pending } = this.#state;
    const { fragments } = pending;
    pending.drop(pending.snapshot());
    return fragments;
  }

  /**
   * The input of a model call: the rendered fragments, and the messages of the branch followed by the pending ones.
   * @throws ContextError for messages that save() refuses, before a model is called for a turn that cannot be saved
   */
  resolve<Message extends UIMessage = UIMessage>(options: ResolveOptions): Promise<ResolveResult<Message>> {
    return this.#withInput(options, (input) => input.resolve<Message>());
  }

  /** The tokens of a call of `resolve` with these options, without its contents of files. */
  estimate(options: ResolveOptions): Promise<ContextEstimate> {
    return this.#withInput(options, (input) => input.estimate());
  }

  /** The turns on the branch, with the pending messages: each begins with a message of the user. */
  countTurns(): Promise<number> {
    return this.#withPending((pending) => countTurns(this.#state, pending));
  }

  /** The fragments and messages of a call of `resolve` with these options, and the tokens of each. */
  inspect(options: ResolveOptions): Promise<ContextInspection> {
    return this.#withInput(options, (input) => input.inspect());
  }

  /**
   * Saves the pending messages, all or none, in order, the first at the end of the branch. A message with the id of a saved
   * message is its new version: it is saved as a sibling with a new id, on a new branch, to which the engine moves. A repeated
   * save with the same content writes nothing twice, except for several lazy messages or edits, or after saves of other writers.
   * @param options the head that the caller has seen, and the policy when it has changed; not compared without pending messages
   */
  save(options: EngineSaveOptions = {}): Promise<SaveResult> {
    return this.#withPending(async (pending) => {
      const checked = toSaveOptions(checkKnown(options, ['expectedHeadId', 'onConflict']));
      return savePending(this.#state, pending, checked);
    });
  }

  /**
   * Saves the pending messages, and after them a summary of the whole branch: `resolve` uses it with `summaries`. Branches that leave
   * before it do not contain it.
   * @param content a text, which becomes a message of the user, or a UIMessage
   * @throws ContextError HEAD_CONFLICT when the branch has messages that the engine has not read: the summary would omit them
   */
  saveSummary(content: string | UIMessage): Promise<SaveResult> {
    return this.#withPending((pending) => saveSummary(this.#state, pending, content));
  }

  /**
   * Saves the pending messages, and after them a message that draws on the heads of other branches: the result of side threads. A
   * repeated merge needs a message with an id, so that nothing is written twice.
   */
  merge(options: MergeOptions): Promise<SaveResult> {
    return this.#withPending((pending) => merge(this.#state, pending, options));
  }

  /**
   * Writes a message while its chunks pass through: as a draft, which every client can follow, and which is saved at the end of the
   * branch after the last chunk. Pending messages are saved before, unless parentId is given.
   *
   * The chunks of the AI SDK's UI message stream (5, 6 and 7) are assembled as the SDK does, strings as a text. Other chunks are visible
   * to followers of the draft, and are no part of the message.
   *
   * The engine moves to the branch of the message, unless it has moved since. Another version, by parentId, moves it only to the
   * active branch: when the active branch has changed, chat and engine stay.
   * @param source the chunks, or a function that opens them with a signal, which a stop of any client aborts
   * @returns the chunks as they pass through: only read or left streams are written; see MessageStream
   */
  async stream<Chunk>(source: MessageSource<Chunk>, options: StreamOptions = {}): Promise<MessageStream<Chunk>> {
    return this.#drafts.stream(source, options);
  }

  /**
   * Saves an abandoned draft with its chunks so far: with `"status": "incomplete"` in its metadata unless it is complete. To continue
   * a draft instead, `stream` takes it up.
   * @returns null when the draft was empty, and is discarded
   */
  finishDraft(id: string): Promise<SaveResult | null> {
    return this.#drafts.finishDraft(id);
  }

  /**
   * Goes back to a message: creates an active branch that ends there, and moves the engine to it. Nothing is deleted, but the
   * messages that were pending at the call are dropped.
   */
  rewind(messageId: string): Promise<BranchInfo> {
    return this.#branches.rewind(messageId);
  }

  /** Creates a branch at the head, for a side question. The engine stays on its branch, and keeps its pending messages. */
  btw(): Promise<BranchInfo> {
    return this.#branches.btw();
  }

  /** Activates another branch, and moves the engine to it. Pending messages are dropped, as by rewind. */
  switchBranch(name: string): Promise<BranchInfo> {
    return this.#branches.switchBranch(name);
  }

  /** Names the head, so that restore() can return to it. A checkpoint of this name is moved. */
  checkpoint(name: string): Promise<CheckpointInfo> {
    return this.#branches.checkpoint(name);
  }

  /** Goes back to a checkpoint, as rewind does to a message. */
  restore(name: string): Promise<BranchInfo> {
    return this.#branches.restore(name);
  }

  /**
   * Compares the paths to two places of the chat.
   * @param head the engine's branch by default
   * @returns null if a place is missing, or its branch is empty
   */
  compare(base: PlaceData, head?: PlaceData): Promise<ComparisonData | null> {
    const { store, position, inTurn } = this.#state;
    return inTurn(async () => {
      // The first request finds the branch.
      if (head === undefined) await position.current();
      return store.compare(this.chatId, base, head ?? { branch: position.branchName });
    });
  }

  /**
   * Searches earlier messages, for the system prompt of a later call.
   * @param query words that must all occur, "phrases", prefixes* and -exclusions
   * @returns a fragment with the best passages, each with its chat, message, author and time; without passages when none matches
   */
  recall(query: string, options?: RecallOptions): Promise<ContextFragment> {
    return recall(this.#state.store, this.userId, query, options);
  }

  /**
   * Changes the chat's title, and its metadata by RFC 7396 (JSON Merge Patch): null removes a member.
   * @param changes or a function of the chat as it is now
   */
  updateChat(changes: ContextChatUpdates | ((chat: ChatData) => ContextChatUpdates)): Promise<ChatData> {
    const { store, position, inTurn } = this.#state;
    return inTurn(async () => {
      if (typeof changes !== 'function') return this.#updateChat(changes);
      await position.begin();
      const chat = await store.getChat(this.chatId);
      if (chat == null) throw chatNotFound(this.chatId);
      return this.#updateChat(changes(chat));
    });
  }

  /**
   * Creates an engine with the same fragments and another chat, without messages: for a side task that needs the same context and
   * must not change this conversation.
   * @param options replace the same store, the same user, and a new chat
   */
  fork(options: Partial<ContextEngineOptions> = {}): ContextEngine {
    const { store = this.#state.store, chatId = crypto.randomUUID(), userId = this.userId } = options;
    return new ContextEngine({ ...options, store, chatId, userId }).set(...this.#fragments);
  }

  async #updateChat({ title, metadata }: ContextChatUpdates): Promise<ChatData> {
    const { store, position } = this.#state;
    // Before a missing chat is created.
    if (metadata !== undefined && !isRecord(metadata)) throw invalid('metadata must be an object', 'metadata');
    await position.begin();
    const updates = { ...(title !== undefined && { title }), ...(metadata && { metadataPatch: metadata }) };
    position.chat = await store.updateChat(this.chatId, updates);
    return position.chat;
  }

  /** Runs a call in its turn with the messages that were pending when it was made, without those that earlier calls have saved. */
  #withPending<T>(
    call: (pending: readonly WaitingMessage[]) => Promise<T>,
    snapshot = this.#state.pending.snapshot(),
  ): Promise<T> {
    return this.#state.inTurn(() => call(this.#state.pending.left(snapshot)));
  }

  #withInput<T>(options: ResolveOptions, use: (input: ModelInput) => T | Promise<T>): Promise<T> {
    const snapshot = this.#state.pending.snapshot();
    const read = (fragments: readonly ContextFragment[]) =>
      this.#withPending(
        async (pending) => use(await ModelInput.read(this.#state, fragments, options, pending)),
        snapshot,
      );
    // Before its turn, because functions may call the engine.
    return this.#fragments.some(isComputed) ? computeFragments([...this.#fragments]).then(read) : read(this.fragments);
  }
}
