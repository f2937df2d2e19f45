/** Sends, edits and regenerates messages. */
import { OptimisticWrites, type Saved } from './optimistic-writes.js';
import { ParleyError, UnauthorizedError, UnreachableError } from '@parley/transport/errors';
import type { Guess } from '../store/optimism.js';
import type { OnConflict } from '../store/thread-state.js';
import type { Outbox, SentMessage } from '../store/outbox.js';
import type { Parley } from '../connection/create-parley.js';
import { contentOf, now, textOf, unsavedMessage, type Content, type Message } from '../message.js';
import { Conflicts, type OpenConflict, type Unsaved } from './conflicts.js';
import {
  Ask,
  EditMessage,
  SaveMessages,
  type SavedFragment,
  type SaveMessagesInput,
  type StartDraftInput,
  type WrittenFragment,
} from '../generated/operations.js';
import type { ThreadModel } from '../store/thread-model.js';
import { HeadConflictError, RefusedError } from '../connection/contract-errors.js';
import { expectedHead } from './expected-head.js';

/** The options of a store that these writes use. */
interface Options {
  /** Whether the first message creates the chat. */
  create: boolean;
  outbox: Outbox | undefined;
  /** The name of the branch that the store was opened with. */
  branch: string | null;
  onConflict: OnConflict | undefined;
}

type Given = { name?: string; id?: string };

/** The answer to a message, started by the same request. */
export interface Answer {
  input: StartDraftInput;
  /** Called with the draft; without one when another request must start it. */
  started(draft?: WrittenFragment): void;
}

export class MessageWrites extends OptimisticWrites {
  readonly #conflicts: Conflicts;
  #restored: Promise<void> | undefined;

  constructor(
    parley: Parley,
    model: ThreadModel,
    private readonly options: Options,
  ) {
    super(parley, model);
    this.#conflicts = new Conflicts(this, (...save) => this.#save(...save), options.onConflict);
  }

  close(): void {
    this.#conflicts.close();
  }

  async send(content: Content, { name = 'user', id = crypto.randomUUID() }: Given, answer?: Answer): Promise<Saved> {
    const refused = refusalOf(content);
    if (refused) return refused;
    const { outbox, branch } = this.options;
    const { chatId, view } = this.model;
    // A new message follows the waiting ones.
    if (outbox) await this.restore();
    const parentId = view.leafId;
    const sent = {
      id,
      chatId,
      name,
      content,
      createdAt: now(),
      parentId,
      branch,
      // Without a branch, the message starts a new one.
      isLoose: view.isLoose && parentId !== null,
      branchId: view.followed.kind === 'branch' ? view.branch?.id : undefined,
    };
    return this.#deliver(sent, 'sending', answer);
  }

  /** Sends the messages of the outbox after the chat is read. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  async #restore(): Promise<void> {
    const { model } = this;
    const { outbox, branch } = this.options;
    const kept = (await outbox?.list(model.chatId, branch, false)) ?? [];
    if (kept.length === 0) return;
    const opened = () => model.when(({ status, chat }) => chat !== null || !/opening|away|refused/.test(status));
    void this.add(opened);
    for (const sent of kept) void this.#deliver(sent, 'waiting');
  }

  #deliver(sent: SentMessage, status: Message['status'], answer?: Answer): Promise<Saved> {
    const saved = this.#send(sent, status, answer);
    this.options.outbox?.keep(sent, saved);
    return saved;
  }

  async #send(
    { content, parentId, isLoose, branchId, ...given }: SentMessage,
    status: Message['status'],
    answer?: Answer,
  ): Promise<Saved> {
    const unsaved = this.#unsaved(content, parentId, given, status);
    const guess = { ...guessOf(unsaved), after: parentId };
    const outcome = await this.write(guess, async (signal): Promise<SavedFragment | OpenConflict> => {
      const conflict = this.#conflicts.add(unsaved);
      if (conflict) return conflict;
      const place =
        isLoose && parentId !== null
          ? { at: { message: parentId } }
          : { expectedHead: expectedHead(parentId), ...this.#named(branchId) };
      try {
        return await this.#save([unsaved], place, signal, answer);
      } catch (reason) {
        // A message of the outbox is kept for the next sign-in.
        if (this.options.outbox && reason instanceof UnauthorizedError) {
          throw new UnreachableError('Signed out');
        }
        if (!(reason instanceof HeadConflictError)) throw reason;
        return this.#conflicts.open(reason, [unsaved], this.#named(branchId));
      }
    });
    if (outcome.ok && !('settled' in outcome.value)) {
      if (isLoose) this.follow(guess, outcome.value.branch);
      return this.confirm(guess, outcome.value);
    }
    answer?.started();
    if (!outcome.ok) return outcome;
    this.remove(guess);
    return (outcome.value as OpenConflict).settled;
  }

  /** Saves another version of a message: an edit, or another answer with the same name. */
  async version(messageId: string, content: Content, given: Given, isEdit: boolean): Promise<Saved> {
    const original = this.model.view.find(messageId);
    if (!original) return { ok: false, error: notFound(messageId) };
    const refused = refusalOf(content);
    if (refused) return refused;
    const { parentId, name } = original;
    const unsaved = this.#unsaved(content, parentId, { name, ...given });
    const guess = guessOf(unsaved);
    const outcome = await this.write(guess, async (signal) => {
      // A root has no parent: another version of it is saved as an edit.
      if (!isEdit && parentId !== null) return this.#save([unsaved], { at: { message: parentId } }, signal);
      const input = { messageId, id: unsaved.message.id, content: contentOf(content) };
      return (await this.run(EditMessage, input, signal)).editMessage;
    });
    if (!outcome.ok) return outcome;
    this.follow(guess, outcome.value.branch);
    return this.confirm(guess, outcome.value);
  }

  /** Shows a message that a request outside the store saves. */
  expect(content: Content, parentId: string | null, given: Given & { id: string }) {
    const { model } = this;
    const { id } = given;
    const guess = guessOf(this.#unsaved(content, parentId, given));
    this.show(guess);
    model.expected.set(id, guess);
    const remove = () => {
      model.expected.delete(id);
      this.remove(guess);
    };
    return {
      confirm: () => void model.whenCaughtUp().then(remove),
      withdraw: () => {
        guess.after = parentId;
        remove();
      },
    };
  }

  /** Shows messages that a writer of this page has saved. */
  saved(saved: SavedFragment): void {
    this.confirm(this.model.guesses.add({}), saved);
  }

  #unsaved(
    content: Content,
    parentId: string | null,
    { name = 'user', id = crypto.randomUUID(), createdAt = now() }: Given & { createdAt?: string },
    status: Message['status'] = 'sending',
  ): Unsaved {
    const message = unsavedMessage({
      id,
      parentId,
      depth: (this.model.view.find(parentId ?? '')?.depth ?? -1) + 1,
      name,
      text: textOf(content),
      data: typeof content === 'object' && content.text === undefined ? content.data : null,
      createdAt,
      status,
    });
    return { message, content };
  }

  /** The current name of the intended branch. */
  #named(branchId = ''): { branch: string } | undefined {
    const branch = this.model.record.branch(branchId);
    return branch && { branch: branch.name };
  }

  async #save(
    unsaved: readonly Unsaved[],
    place: Partial<SaveMessagesInput>,
    signal: AbortSignal,
    answer?: Answer,
  ): Promise<SavedFragment> {
    const { parley, model } = this;
    const { chatId } = model;
    const messages = unsaved.map(({ message: { id, name }, content }) => ({ id, name, content: contentOf(content) }));
    // Another tab may have created the chat.
    const createChat = this.options.create && model.record.chat === null ? {} : undefined;
    const input = { chatId, createChat, messages: messages as SaveMessagesInput['messages'], ...place };
    if (!answer) return (await parley.run(SaveMessages, { input }, signal)).saveMessages;
    const { saveMessages, startDraft } = await parley.run(Ask, { messages: input, draft: answer.input }, signal);
    answer.started('draft' in startDraft ? startDraft.draft : undefined);
    return saveMessages;
  }
}

export const notFound = (messageId: string) => new ParleyError(`Message "${messageId}" not found`, 'NOT_FOUND');

const guessOf = ({ message }: Unsaved): Guess => ({ show: message.id, messages: [message] });

/** An empty message is refused before it is shown. */
function refusalOf(content: Content): Saved | undefined {
  if (contentOf(content).text !== '') return undefined;
  const message = 'The message is empty';
  return { ok: false, error: new RefusedError(message, 'INVALID_INPUT', [{ path: ['content'], message }]) };
}
