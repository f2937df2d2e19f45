/** What is done to a chat: shown as guessed, asked of the server, and then taken in, or taken back. */
import type { Parley } from '../connection/create-parley.js';
import { HeadConflictError, ParleyError } from '../connection/errors.js';
import {
  CreateChat,
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
  type MovedFragment,
  type PlacedFragment,
  type SavedFragment,
  type SaveMessagesInput,
} from '../generated/operations.js';
import type { ChatRecord } from './chat-record.js';
import { contentOf, messageOf, textOf, type Content, type Message, type SiblingInfo } from './message.js';
import type { MessageTree } from './message-tree.js';
import type { Guess, Optimism } from './optimism.js';
import type { Outcome } from './outcome.js';
import type { Conflict, ConflictChoice } from './thread-state.js';
import type { ThreadView } from './thread-view.js';
import { WriteQueue } from './write-queue.js';

/** What it works on. */
export interface Written {
  /** Whether what is said first makes the chat. */
  create: boolean;
  record: ChatRecord;
  tree: MessageTree;
  guesses: Optimism;
  view: ThreadView;
  take(messages: readonly PlacedFragment[]): void;
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

/** A conflict that nobody has resolved; what was said behind it waits with it. */
interface OpenConflict {
  utterances: Utterance[];
  settled: Promise<Saved>;
}

export class ThreadWrites {
  readonly #queue: WriteQueue;
  readonly #open = new Map<string, OpenConflict>();
  readonly #infos = new WeakMap<Message, SiblingInfo>();
  readonly #left = new Set<() => void>();

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly on: Written,
  ) {
    this.#queue = new WriteQueue(parley.retryDelay);
  }

  close(): void {
    this.#queue.close();
    for (const leave of this.#left) leave();
  }

  /** Of what is not saved yet: it will be the newest version. */
  siblingInfo(messageId: string): SiblingInfo | null {
    const message = this.on.guesses.message(messageId);
    if (message === undefined) return null;
    const { tree } = this.on;
    let info = this.#infos.get(message);
    if (info === undefined) {
      const siblings = tree.childrenMap.get(message.parentId) ?? [];
      const siblingIndex = tree.countUnder(message.parentId);
      info = {
        siblings: [...siblings, message],
        siblingIndex,
        siblingCount: siblingIndex + 1,
        previousId: siblings.at(-1)?.id ?? null,
        nextId: null,
      };
      this.#infos.set(message, info);
    }
    return info;
  }

  async send(content: Content, given: Given): Promise<Saved> {
    const { view } = this.on;
    const parentId = view.leafId;
    const utterance = this.#utterance(content, parentId, given);
    const { id } = utterance.message;
    // Where no branch is shown, a new one begins.
    const isLoose = view.isLoose && parentId !== null;
    const branch = view.followed.kind === 'branch' ? view.branch?.id : undefined;
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
        const place = isLoose ? { parentId } : { expectedHeadId: parentId, ...this.#named(branch) };
        try {
          return { saved: await this.#begin([utterance], place, signal) };
        } catch (reason) {
          if (!(reason instanceof HeadConflictError)) throw reason;
          return { conflict: this.#ask(reason, [utterance], this.#named(branch)) };
        }
      },
    });
    if (outcome.ok && 'saved' in outcome.value) {
      if (isLoose) this.#show(guess);
      return this.#confirm(guess, outcome.value.saved);
    }
    this.on.guesses.remove(guess);
    view.takeBack(id, parentId);
    this.on.changed();
    return outcome.ok ? (outcome.value as { conflict: OpenConflict }).conflict.settled : outcome;
  }

  async edit(messageId: string, content: Content, given: Given): Promise<Saved> {
    const original = this.on.view.find(messageId);
    if (original === undefined) return notSeen(messageId);
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
    const utterance = this.#utterance(content, parentId, { name, ...given });
    return this.#say(utterance, (signal) => this.#save([utterance], { parentId }, signal));
  }

  /** Begins to write something, behind what is said before. */
  begin<Writer>(run: () => Promise<Writer>): Promise<Outcome<Writer>> {
    return this.#queue.add({ isRepeatable: false, run });
  }

  rewind(messageId: string | null): Promise<Outcome> {
    return this.#move({ show: messageId }, async (signal) => {
      const input = { chatId: this.chatId, messageId };
      return (await this.parley.run(Rewind, { input }, signal)).rewind;
    });
  }

  switchToSibling(messageId: string): Promise<Outcome> {
    const leafId = this.on.tree.latestLeafOf(messageId);
    return this.#move(leafId === undefined ? {} : { show: leafId }, async (signal) => {
      const input = { chatId: this.chatId, messageId };
      return (await this.parley.run(SwitchToSibling, { input }, signal)).switchToSibling;
    });
  }

  switchBranch(name: string): Promise<Outcome> {
    const branch = this.on.record.branches.find((known) => known.name === name);
    return this.#move(branch === undefined ? {} : { show: branch.headId }, async (signal) => {
      return (await this.parley.run(SwitchBranch, { input: { chatId: this.chatId, name } }, signal)).switchBranch;
    });
  }

  restoreCheckpoint(name: string): Promise<Outcome> {
    const checkpoint = this.on.record.checkpoints.find((known) => known.name === name);
    return this.#move(checkpoint === undefined ? {} : { show: checkpoint.messageId }, async (signal) => {
      return (await this.parley.run(RestoreCheckpoint, { input: { chatId: this.chatId, name } }, signal))
        .restoreCheckpoint;
    });
  }

  renameBranch(name: string, newName: string): Promise<Outcome> {
    return this.#act({}, false, async (signal) => {
      const input = { chatId: this.chatId, name, newName };
      return (await this.parley.run(RenameBranch, { input }, signal)).renameBranch.chat.version;
    });
  }

  deleteBranch(name: string): Promise<Outcome> {
    return this.#act({}, false, async (signal) => {
      return (await this.parley.run(DeleteBranch, { input: { chatId: this.chatId, name } }, signal)).deleteBranch.chat
        .version;
    });
  }

  createCheckpoint(name: string, messageId: string | null): Promise<Outcome> {
    const checkpoint = messageId === null ? {} : { checkpoint: { name, messageId, createdAt: now() } };
    return this.#act(checkpoint, true, async (signal) => {
      const input = { chatId: this.chatId, name, ...(messageId !== null && { messageId }) };
      return (await this.parley.run(CreateCheckpoint, { input }, signal)).createCheckpoint.checkpoint.chat.version;
    });
  }

  deleteCheckpoint(name: string): Promise<Outcome> {
    return this.#act({ noCheckpoint: name }, false, async (signal) => {
      return (await this.parley.run(DeleteCheckpoint, { input: { chatId: this.chatId, name } }, signal))
        .deleteCheckpoint.chat.version;
    });
  }

  #utterance(content: Content, parentId: string | null, { name = 'user', id = crypto.randomUUID() }: Given): Utterance {
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
      createdAt: now(),
      createdBy: null,
      status: 'sending',
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
  ): Promise<SavedFragment> {
    const messages = utterances.map(({ message: { id, name }, content }) => ({
      id,
      name,
      content: contentOf(content),
    }));
    const input = { chatId: this.chatId, messages: messages as SaveMessagesInput['messages'], ...place };
    return (await this.parley.run(SaveMessages, { input }, signal)).saveMessages;
  }

  /** Saves what may be the first thing that is said, and make the chat. */
  async #begin(
    ...said: [utterances: readonly Utterance[], place: Partial<SaveMessagesInput>, signal: AbortSignal]
  ): Promise<SavedFragment> {
    try {
      return await this.#save(...said);
    } catch (reason) {
      const isFirst = this.on.create && said[1].expectedHeadId === null;
      if (!isFirst || codeOf(reason) !== 'NOT_FOUND') throw reason;
    }
    await this.parley.run(CreateChat, { input: { id: this.chatId } }, said[2]).catch((reason: unknown) => {
      // Another tab was faster.
      if (codeOf(reason) !== 'ALREADY_EXISTS') throw reason;
    });
    return this.#save(...said);
  }

  /** A new version of something. */
  async #say(utterance: Utterance, run: (signal: AbortSignal) => Promise<SavedFragment>): Promise<Saved> {
    const guess = this.#guess({ show: utterance.message.id, messages: [utterance.message] });
    const outcome = await this.#queue.add({ isRepeatable: true, waiting: () => this.#wait(guess), run });
    if (!outcome.ok) return this.#undo(guess, outcome);
    this.#show(guess);
    return this.#confirm(guess, outcome.value);
  }

  /** Makes a branch active, or a new one. */
  #move(guess: Guess, run: (signal: AbortSignal) => Promise<MovedFragment>): Promise<Outcome> {
    return this.#act(guess, false, async (signal) => {
      const { chat, branch } = await run(signal);
      if (guess.show !== undefined) guess.show = branch.head?.id ?? null;
      this.#show(guess);
      return chat.version;
    });
  }

  /** @param run answers the version of the chat behind it */
  async #act(guess: Guess, isRepeatable: boolean, run: (signal: AbortSignal) => Promise<number>): Promise<Outcome> {
    this.#guess(guess);
    const outcome = await this.#queue.add({ isRepeatable, run });
    if (!outcome.ok) return this.#undo(guess, outcome);
    this.#keepUntil(guess, outcome.value);
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
    const leave = () => end({ ok: false, error });
    const resolve = async (choice: ConflictChoice): Promise<Saved> => {
      if (!this.#open.has(id)) return conflict.settled;
      if (choice === 'discard') {
        leave();
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

function notSeen(messageId: string): Saved {
  return { ok: false, error: new ParleyError(`Message "${messageId}" was not seen`, 'NOT_FOUND') };
}

const codeOf = (reason: unknown) => (reason instanceof ParleyError ? reason.code : undefined);

const now = () => new Date().toISOString();
