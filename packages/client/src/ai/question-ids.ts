/** The ids in the chat of a page's messages: useChat keeps the id of an edited message, and its new version has another one. */
import type { UIMessage } from 'ai';

export class QuestionIds {
  /** By the id in the page. */
  readonly #sent = new Map<string, { content: string; id: string }>();

  /** The id in the chat of a message of the page. */
  of(id: string): string {
    return this.#sent.get(id)?.id ?? id;
  }

  /**
   * The id to save a message with: that of the last request for a retry, and a new one for an edit.
   * @param isEdit whether the message is a new version of one that was saved
   */
  forRequest({ id, parts, metadata }: UIMessage, isEdit: boolean): string {
    const content = JSON.stringify({ parts, metadata });
    const sent = this.#sent.get(id);
    if (sent?.content === content) return sent.id;
    const savedId = isEdit || sent !== undefined ? crypto.randomUUID() : id;
    this.#sent.set(id, { content, id: savedId });
    return savedId;
  }

  /** The server has saved a message under another id than that of the request. */
  savedAs(id: string, savedId: string): void {
    const sent = this.#sent.get(id);
    if (sent !== undefined) sent.id = savedId;
  }
}
