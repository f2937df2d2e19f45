/** What is done to a chat: shown as guessed, asked of the server, and then taken in, or taken back. */
import type { Parley } from '../connection/create-parley.js';
import { ClosedError, ParleyError, UnauthorizedError, UnreachableError } from '@parley/transport/errors';
import { HeadConflictError, RefusedError } from '../connection/contract-errors.js';
import {
  Ask,
  CreateCheckpoint,
  DeleteBranch,
  DeleteCheckpoint,
  EditMessage,
  RenameBranch,
  RestoreCheckpoint,
  Rewind,
  SaveMessages,
  SwitchBranch,
  SwitchToSibling,
  type ConflictPolicy,
  type PlacedFragment,
  type SavedFragment,
  type SaveMessagesInput,
  type StartDraftInput,
  type WrittenFragment,
} from '../generated/operations.js';
import type { Operation } from '../connection/operation.js';
import type { ChatRecord } from './chat-record.js';
import { contentOf, messageOf, textOf, type Content, type Message } from './message.js';
import type { MessageTree } from './message-tree.js';
import type { Guess, Optimism } from './optimism.js';
import type { Outbox, SentMessage } from './outbox.js';
import type { Outcome } from './outcome.js';
import type { Conflict, ConflictChoice } from './thread-state.js';
import type { ThreadView } from './thread-view.js';
import { WriteQueue } from './write-queue.js';

/** A mutation of the chat. */
type Change<Input> = Operation<object, { input: Input }>;

/** What is read of the payload of a mutation. */
interface Changed {
  chat: { version: number };
  branch?: { head: { id: string } | null };
  checkpoint?: Pick<Changed, 'chat'>;
}

/** What it works on. */
export interface Written {
  /** Whether what is said first makes the chat. */
  create: boolean;
  outbox: Outbox | undefined;
  /** The name of the branch that the store was opened with. */
  branch: string | null;
  record: ChatRecord;
  tree: MessageTree;
  guesses: Optimism;
  view: ThreadView;
  take(messages: readonly PlacedFragment[]): void;
  /** Settles once the server has said what the chat has. */
  opened(): Promise<unknown>;
  setConflicts(change: (conflicts: readonly Conflict[]) => readonly Conflict[]): void;
  changed(): void;
}

type Saved = Outcome<readonly Message[]>;
type Given = { name?: string; id?: string };

/** Something that is being said, with what the server is given of it. */
interface Utterance {
  message: Message;
  content: Content;
}

/** The answer to a message, to be started by the same request. */
export interface Answer {
  input: StartDraftInput;
  /** Called with the draft, or without one when another request has to start it. */
  started(draft?: WrittenFragment): void;
}

/** A conflict that nobody has resolved; what was said behind it waits with it. */
interface OpenConflict {
  utterances: Utterance[];
  settled: Promise<Saved>;
}

export class ThreadWrites {
  readonly #queue: WriteQueue;
  readonly #open = new Map<string, OpenConflict>();
  readonly #left = new Set<(error: ParleyError) => void>();
  #restored: Promise<void> | undefined;

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly on: Written,
  ) {
    this.#queue = new WriteQueue(parley.retryDelay);
  }

  close(): void {
    this.#queue.close();
    for (const leave of this.#left) leave(new ClosedError());
  }

  async send(content: Content, given: Given, answer?: Answer): Promise<Saved> {
    const refused = refusalOf(content);
    if (refused !== undefined) return refused;
    const { view, outbox, branch } = this.on;
    // A new message follows those that wait.
    if (outbox !== undefined) await this.restore();
    const parentId = view.leafId;
    const sent = {
      id: given.id ?? crypto.randomUUID(),
      chatId: this.chatId,
      name: given.name ?? 'user',
      content,
      createdAt: now(),
      parentId,
      branch,
      // Where no branch is shown, a new one begins.
      isLoose: view.isLoose && parentId !== null,
      branchId: view.followed.kind === 'branch' ? view.branch?.id : undefined,
    };
    return this.#deliver(sent, 'sending', answer);
  }

  /** Sends the messages of the outbox once the chat is read. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  async #restore(): Promise<void> {
    const { outbox, branch, opened } = this.on;
    const kept = (await outbox?.list(this.chatId, branch)) ?? [];
    if (kept.length === 0) return;
    void this.#queue.add({ isRepeatable: false, run: opened });
    for (const sent of kept) void this.#deliver(sent, 'waiting');
  }

  #deliver(sent: SentMessage, status: Message['status'], answer?: Answer): Promise<Saved> {
    const saved = this.#send(sent, status, answer);
    this.on.outbox?.keep(sent, saved);
    return saved;
  }

  async #send(
    { content, parentId, isLoose, branchId, ...given }: SentMessage,
    status: Message['status'],
    answer?: Answer,
  ): Promise<Saved> {
    const { view, outbox } = this.on;
    const utterance = this.#utterance(content, parentId, given, status);
    const { id } = utterance.message;
    const guess = this.#guess({ show: id, messages: [utterance.message] });
    const outcome = await this.#queue.add({
      isRepeatable: true,
      waiting: () => this.#wait(guess),
      run: async (signal): Promise<{ saved: SavedFragment } | { conflict: OpenConflict }> => {
        const behind = [...this.#open.values()].find(({ utterances }) =>
          utterances.some(({ message }) => message.id === parentId),
        );
        if (behind !== undefined) {
          behind.utterances.push(utterance);
          this.on.setConflicts((conflicts) => [...conflicts]);
          return { conflict: behind };
        }
        const place = isLoose ? { parentId } : { expectedHeadId: parentId, ...this.#named(branchId) };
        try {
          return { saved: await this.#save([utterance], place, signal, answer) };
        } catch (reason) {
          // A message of the outbox waits for the next sign-in.
          if (outbox !== undefined && reason instanceof UnauthorizedError) throw new UnreachableError('Signed out');
          if (!(reason instanceof HeadConflictError)) throw reason;
          return { conflict: this.#ask(reason, [utterance], this.#named(branchId)) };
        }
      },
    });
    if (outcome.ok && 'saved' in outcome.value) {
      if (isLoose) this.#show(guess);
      return this.#confirm(guess, outcome.value.saved);
    }
    answer?.started();
    this.on.guesses.remove(guess);
    view.takeBack(id, parentId);
    this.on.changed();
    return outcome.ok ? (outcome.value as { conflict: OpenConflict }).conflict.settled : outcome;
  }

  async edit(messageId: string, content: Content, given: Given): Promise<Saved> {
    const original = this.on.view.find(messageId);
    if (original === undefined) return notSeen(messageId);
    const refused = refusalOf(content);
    if (refused !== undefined) return refused;
    const utterance = this.#utterance(content, original.parentId, { name: original.name, ...given });
    const { id } = utterance.message;
    return this.#say(utterance, async (signal) => {
      const input = { chatId: this.chatId, messageId, id, content: contentOf(content) };
      return (await this.parley.run(EditMessage, { input }, signal)).editMessage;
    });
  }

  async regenerate(messageId: string, content: Content, given: Given): Promise<Saved> {
    const original = this.on.view.find(messageId);
    if (original === undefined) return notSeen(messageId);
    const { parentId, name } = original;
    // A root has no parent to name: another version of it is an edit.
    if (parentId === null) return this.edit(messageId, content, given);
    const refused = refusalOf(content);
    if (refused !== undefined) return refused;
    const utterance = this.#utterance(content, parentId, { name, ...given });
    return this.#say(utterance, (signal) => this.#save([utterance], { parentId }, signal));
  }

  /** Shows a message that a request outside the store saves. */
  expect(content: Content, parentId: string | null, given: Given): Guess {
    const { message } = this.#utterance(content, parentId, given);
    return this.#guess({ show: message.id, messages: [message] });
  }

  /** Shows messages that a writer of this page has saved. */
  saved(saved: SavedFragment): void {
    this.#confirm(this.on.guesses.add({}), saved);
  }

  /** Runs a write after those that were requested before, again while the server cannot be reached. */
  add<Value>(run: (signal: AbortSignal) => Promise<Value>): Promise<Outcome<Value>> {
    return this.#queue.add({ isRepeatable: true, run });
  }

  rewind(messageId: string | null): Promise<Outcome> {
    return this.#move(Rewind, { messageId }, messageId);
  }

  switchToSibling(messageId: string): Promise<Outcome> {
    return this.#move(SwitchToSibling, { messageId }, this.on.tree.latestLeafOf(messageId));
  }

  switchBranch(name: string): Promise<Outcome> {
    return this.#move(SwitchBranch, { name }, named(this.on.record.branches, name)?.headId);
  }

  restoreCheckpoint(name: string): Promise<Outcome> {
    return this.#move(RestoreCheckpoint, { name }, named(this.on.record.checkpoints, name)?.messageId);
  }

  renameBranch(name: string, newName: string): Promise<Outcome> {
    return this.#act(RenameBranch, { name, newName });
  }

  deleteBranch(name: string): Promise<Outcome> {
    return this.#act(DeleteBranch, { name });
  }

  createCheckpoint(name: string, messageId: string | null): Promise<Outcome> {
    if (messageId === null) return this.#act(CreateCheckpoint, { name });
    return this.#act(CreateCheckpoint, { name, messageId }, { checkpoint: { name, messageId, createdAt: now() } });
  }

  deleteCheckpoint(name: string): Promise<Outcome> {
    return this.#act(DeleteCheckpoint, { name }, { noCheckpoint: name });
  }

  #utterance(
    content: Content,
    parentId: string | null,
    { name = 'user', id = crypto.randomUUID(), createdAt = now() }: Given & { createdAt?: string },
    status: Message['status'] = 'sending',
  ): Utterance {
    const parent = parentId === null ? undefined : this.on.view.find(parentId);
    const message: Message = {
      id,
      parentId,
      seq: Infinity,
      depth: (parent?.depth ?? -1) + 1,
      name,
      type: 'message',
      text: textOf(content),
      data: typeof content === 'object' && content.text === undefined ? content.data : null,
      createdAt,
      createdBy: null,
      status,
    };
    return { message, content };
  }

  #guess(guess: Guess): Guess {
    this.on.guesses.add(guess);
    this.on.changed();
    return guess;
  }

  /** Says that it waits for a server that is away. */
  #wait(guess: Guess): void {
    guess.messages = guess.messages?.map((message) => ({ ...message, status: 'waiting' as const })) ?? [];
    this.on.changed();
  }

  /** The branch that is meant, by its present name: it may have got another one meanwhile. */
  #named(branchId: string | undefined): { branch?: string } {
    const branch = branchId === undefined ? undefined : this.on.record.branch(branchId);
    return branch === undefined ? {} : { branch: branch.name };
  }

  async #save(
    utterances: readonly Utterance[],
    place: Partial<SaveMessagesInput>,
    signal: AbortSignal,
    answer?: Answer,
  ): Promise<SavedFragment> {
    const { parley, chatId, on } = this;
    const messages = utterances.map(({ message: { id, name }, content }) => ({
      id,
      name,
      content: contentOf(content),
    }));
    const input = { chatId, messages: messages as SaveMessagesInput['messages'], ...place };
    // A chat that exists is not created again: another tab may have been faster.
    const isNew = on.create && on.record.chat === null;
    if (!isNew && answer === undefined) return (await parley.run(SaveMessages, { input }, signal)).saveMessages;
    const variables = {
      ...{ chat: { id: chatId }, messages: input, draft: answer?.input ?? { chatId } },
      ...{ isNew, isAsked: answer !== undefined },
    };
    const { saveMessages, startDraft } = await parley.run(Ask, variables, signal);
    answer?.started(startDraft !== undefined && 'draft' in startDraft ? startDraft.draft : undefined);
    return saveMessages;
  }

  /** A new version of something. */
  async #say(utterance: Utterance, run: (signal: AbortSignal) => Promise<SavedFragment>): Promise<Saved> {
    const guess = this.#guess({ show: utterance.message.id, messages: [utterance.message] });
    const outcome = await this.#queue.add({ isRepeatable: true, waiting: () => this.#wait(guess), run });
    if (!outcome.ok) return this.#undo(guess, outcome);
    this.#show(guess);
    return this.#confirm(guess, outcome.value);
  }

  /** Makes a branch active, or a new one. @param leafId the end of its thread, where that is known */
  #move<Input>(
    operation: Change<Input>,
    input: Omit<Input, 'chatId'>,
    leafId: string | null | undefined,
  ): Promise<Outcome> {
    const guess: Guess = leafId === undefined ? {} : { show: leafId };
    return this.#act(operation, input, guess, ({ branch }) => {
      if (leafId !== undefined) guess.show = branch?.head?.id ?? null;
      this.#show(guess);
    });
  }

  async #act<Input>(
    operation: Change<Input>,
    given: Omit<Input, 'chatId'>,
    guess: Guess = {},
    done: (changed: Changed) => void = () => {},
  ): Promise<Outcome> {
    this.#guess(guess);
    const outcome = await this.#queue.add({
      // Another new branch would be one too many.
      isRepeatable: guess.checkpoint !== undefined,
      run: async (signal) => {
        const input = { chatId: this.chatId, ...given } as Input;
        return Object.values(await this.parley.run(operation, { input }, signal))[0] as Changed;
      },
    });
    if (!outcome.ok) return this.#undo(guess, outcome);
    const { value } = outcome;
    done(value);
    this.#keepUntil(guess, (value.checkpoint ?? value).chat.version);
    return { ok: true, value: undefined };
  }

  /** What somebody has made active is what they want to see, unless they have looked away. */
  #show({ isLeft }: Guess): void {
    if (isLeft !== true) this.on.view.followed = { kind: 'active' };
  }

  #undo<Failed>(guess: Guess, outcome: Failed): Failed {
    this.on.guesses.remove(guess);
    this.on.changed();
    return outcome;
  }

  #confirm(guess: Guess, { messages, chat }: SavedFragment): Saved {
    this.on.take(messages);
    guess.messages = [];
    guess.show = messages.at(-1)?.id ?? null;
    this.#keepUntil(guess, chat.version);
    return {
      ok: true,
      value: messages.map(({ id }) => this.on.tree.byId.get(id)).filter((saved) => saved !== undefined),
    };
  }

  /** It is shown until the events of it have come. */
  #keepUntil(guess: Guess, version: number): void {
    guess.until = version;
    this.on.guesses.arrive(this.on.record.seq);
    this.on.changed();
  }

  /** Leaves it to somebody what becomes of words that were overtaken. */
  #ask(error: HeadConflictError, utterances: Utterance[], named: { branch?: string }): OpenConflict {
    const { on } = this;
    on.take(error.newerMessages);
    if (error.actualHead !== null) on.take([error.actualHead]);
    const [{ message }] = utterances as [Utterance];
    const { id } = message;
    let settle = (_outcome: Saved) => {};
    const conflict: OpenConflict = { utterances, settled: new Promise((resolve) => (settle = resolve)) };
    const end = (outcome: Saved) => {
      this.#left.delete(leave);
      this.#open.delete(id);
      on.setConflicts((conflicts) => conflicts.filter((other) => other.id !== id));
      settle(outcome);
      on.changed();
    };
    const leave = (reason: ParleyError) => end({ ok: false, error: reason });
    const resolve = async (choice: ConflictChoice): Promise<Saved> => {
      if (!this.#open.has(id)) return conflict.settled;
      if (choice === 'discard') {
        leave(error);
        return conflict.settled;
      }
      this.#open.delete(id);
      on.setConflicts((conflicts) => conflicts.filter((other) => other.id !== id));
      end(await this.#resolve(choice, error, utterances, named));
      return conflict.settled;
    };
    const newerMessages = error.newerMessages.map(messageOf);
    this.#open.set(id, conflict);
    this.#left.add(leave);
    on.setConflicts((conflicts) => [
      ...conflicts,
      {
        id,
        get messages() {
          return utterances.map((utterance) => utterance.message);
        },
        newerMessages,
        choices: newerMessages.length > 0 ? ['append', 'fork', 'discard'] : ['fork', 'discard'],
        resolve,
      },
    ]);
    on.changed();
    return conflict;
  }

  async #resolve(
    choice: 'append' | 'fork',
    error: HeadConflictError,
    utterances: Utterance[],
    named: { branch?: string },
  ): Promise<Saved> {
    const parentId = choice === 'append' ? (error.actualHead?.id ?? null) : error.expectedHeadId;
    const messages = utterances.map(({ message }, n) => ({
      ...message,
      parentId: n === 0 ? parentId : (utterances[n - 1]?.message.id ?? null),
    }));
    const guess = this.#guess({ show: messages.at(-1)?.id ?? null, messages });
    const onConflict: ConflictPolicy = choice === 'append' ? 'APPEND' : 'FORK';
    const outcome = await this.#queue.add({
      isRepeatable: true,
      waiting: () => this.#wait(guess),
      run: (signal) => this.#save(utterances, { expectedHeadId: error.expectedHeadId, onConflict, ...named }, signal),
    });
    if (outcome.ok) return this.#confirm(guess, outcome.value);
    this.#undo(guess, outcome);
    // The branch has gone elsewhere meanwhile.
    return outcome.error instanceof HeadConflictError ? this.#ask(outcome.error, utterances, named).settled : outcome;
  }
}

function named<Named extends { name: string }>(all: readonly Named[], name: string): Named | undefined {
  return all.find((one) => one.name === name);
}

function notSeen(messageId: string): Saved {
  return { ok: false, error: new ParleyError(`Message "${messageId}" was not seen`, 'NOT_FOUND') };
}

/** An empty message is refused before it is shown. */
function refusalOf(content: Content): Saved | undefined {
  if (contentOf(content).text !== '') return undefined;
  return { ok: false, error: new RefusedError('The message is empty', 'INVALID_INPUT', 'content') };
}

const now = () => new Date().toISOString();
