/** Saves the messages of the user in a chat, each after the message before it. */
import type { UIMessage } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import { CreateChat, SaveMessages, type SaveMessagesInput } from '../generated/operations.js';
import { ignoring, isRefusal, type OpenDrafts } from './open-drafts.js';
import { QuestionIds } from './question-ids.js';

export class SavedQuestions<Message extends UIMessage> {
  readonly #ids = new QuestionIds();

  constructor(
    private readonly parley: Parley,
    private readonly drafts: OpenDrafts<Message>,
  ) {}

  idOf({ id }: Message): string {
    return this.#ids.of(id);
  }

  /**
   * Saves the last message after the one before it. An answer before it that is unfinished is ended first; a discarded one is left out.
   * A retry writes nothing.
   * @param isEdit whether the last message is a new version of one that was saved
   */
  async save(chatId: string, messages: readonly Message[], isEdit: boolean): Promise<void> {
    const question = messages.at(-1);
    if (question === undefined) return;
    this.#ids.forRequest(question, isEdit);
    for (let index = messages.length - 2; ; index--) {
      const before = messages[index];
      const saveHere = () => this.#saveAfter(chatId, question, before);
      if (before?.role !== 'assistant') return saveHere();
      if (await this.#isSaved(saveHere)) return;
      const draft = await this.drafts.find(chatId, this.idOf(before));
      if (draft !== undefined) await this.drafts.end(chatId, draft, before);
      // Also where it was finished between the two requests.
      if (await this.#isSaved(saveHere)) return;
    }
  }

  async #isSaved(save: () => Promise<void>): Promise<boolean> {
    try {
      await save();
      return true;
    } catch (reason) {
      if (!isRefusal(reason, 'NOT_FOUND')) throw reason;
      return false;
    }
  }

  async #saveAfter(chatId: string, question: Message, before: Message | undefined): Promise<void> {
    const place =
      before === undefined ? { expectedHeadId: null, onConflict: 'FORK' as const } : { parentId: this.idOf(before) };
    const input: SaveMessagesInput = {
      chatId,
      messages: [
        { id: this.idOf(question), name: question.role, content: { data: question } },
      ] as SaveMessagesInput['messages'],
      ...place,
    };
    const save = async () => {
      const { saveMessages } = await this.parley.run(SaveMessages, { input });
      const [saved] = saveMessages.messages;
      if (saved !== undefined) this.#ids.savedAs(question.id, saved.id);
    };
    if (before !== undefined) return save();
    if (await this.#isSaved(save)) return;
    // The first message creates its chat.
    await ignoring('ALREADY_EXISTS', this.parley.run(CreateChat, { input: { id: chatId } }));
    await save();
  }
}
