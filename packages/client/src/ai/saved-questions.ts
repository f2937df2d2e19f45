/** Saves messages of the user in a chat, each after its predecessor, and starts their answers. */
import type { UIMessage } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import { DraftRequests } from '../drafts/draft-requests.js';
import { codeOf } from '@parley/transport/errors';
import { Ask, DiscardDraft, type SaveMessagesInput } from '../generated/operations.js';
import { expectedHead } from '../writes/expected-head.js';
import { ignoring, type OpenDrafts } from './open-drafts.js';
import { QuestionIds } from './question-ids.js';
import type { Place } from './turn.js';

export class SavedQuestions<Message extends UIMessage> {
  readonly #ids = new QuestionIds();
  /** The drafts of requests without a response, by the id of the question: a retry starts the same draft. */
  readonly #draftIds = new Map<string, string>();

  constructor(
    private readonly parley: Parley,
    private readonly drafts: OpenDrafts<Message>,
  ) {}

  idOf({ id }: Message): string {
    return this.#ids.of(id);
  }

  /**
   * Saves a question after the message before it, and starts its answer, in one request; the first question creates
   * its chat. An unfinished answer before it is ended first. A retry saves nothing twice.
   * @param isEdit whether the question is a new version of a saved message
   * @param place by default a new branch if there are newer messages
   */
  async ask(
    chatId: string,
    before: readonly Message[],
    question: Message,
    isEdit: boolean,
    place?: Place,
  ): Promise<DraftRequests> {
    this.#ids.forRequest(question, isEdit);
    for (let index = before.length - 1; ; index--) {
      const last = before[index];
      const ask = () => this.#askAfter(chatId, question, last, place);
      if (last?.role !== 'assistant') return ask();
      const asked = await unlessMissing(ask);
      if (asked !== undefined) return asked;
      const draft = await this.drafts.find(chatId, this.idOf(last));
      if (draft !== undefined) await this.drafts.end(chatId, draft, last);
      // Also when the answer was finished between the two requests.
      const askedAgain = await unlessMissing(ask);
      if (askedAgain !== undefined) return askedAgain;
    }
  }

  async #askAfter(
    chatId: string,
    question: Message,
    before: Message | undefined,
    place: Place | undefined,
  ): Promise<DraftRequests> {
    const { parley } = this;
    const id = this.idOf(question);
    const parentId = before === undefined ? null : this.idOf(before);
    const after =
      parentId !== null && place === undefined
        ? { at: { message: parentId } }
        : { expectedHead: expectedHead(parentId), onConflict: 'FORK' as const, ...place };
    const createChat = before === undefined ? {} : undefined;
    const messages = [{ id, name: question.role, content: { data: question } }] as SaveMessagesInput['messages'];
    const draftId = this.#draftIds.get(id) ?? crypto.randomUUID();
    this.#draftIds.set(id, draftId);
    const draft = { chatId, id: draftId, at: { message: id } };
    const discard = () => ignoring('NOT_FOUND', parley.run(DiscardDraft, { input: { chatId, id: draftId } }));
    const variables = { messages: { chatId, createChat, messages, ...after }, draft };
    const { saveMessages, startDraft } = await parley.run(Ask, variables).catch(async (reason: unknown) => {
      // A message with this id may exist with other content; then it has the draft.
      if (codeOf(reason) === 'ALREADY_EXISTS') await discard();
      throw reason;
    });
    this.#draftIds.delete(id);
    const savedId = saveMessages.messages[0]?.id ?? id;
    this.#ids.savedAs(question.id, savedId);
    const isStarted = 'draft' in startDraft;
    if (isStarted && savedId === id) return new DraftRequests(parley, chatId, draftId);
    // Another version of the message has the draft.
    if (isStarted) await discard();
    return DraftRequests.start(parley, { chatId, at: { message: savedId } });
  }
}

/** The result of a request; undefined when the message before the question is not in the chat. */
async function unlessMissing<Value>(request: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await request();
  } catch (reason) {
    if (codeOf(reason) !== 'NOT_FOUND') throw reason;
    return undefined;
  }
}
