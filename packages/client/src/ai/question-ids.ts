/**
 * Maps the ids of a page's messages to ids of the chat: useChat keeps the id of an edited message, and its new
 * version has another id.
 */
import type { UIMessage } from 'ai';

export class QuestionIds {
  /** By the id in the page. */
  readonly #sent = new Map<string, { content: string; id: string }>();

  /** The chat's id of a message of the page. */
  of(id: string): string {
    return this.#sent.get(id)?.id ?? id;
  }

  /**
   * Returns the id to save a message with: the id of the last request for a retry, and a new one for an edit.
   * @param isEdit whether the message is a new version of a saved message
   */
  forRequest({ id, parts, metadata }: UIMessage, isEdit: boolean): string {
    const content = JSON.stringify({ parts, metadata });
    const sent = this.#sent.get(id);
    if (sent?.content === content) return sent.id;
    const savedId = isEdit || sent !== undefined ? crypto.randomUUID() : id;
    this.#sent.set(id, { content, id: savedId });
    return savedId;
  }

  /** The server has saved a message under another id than requested. */
  savedAs(id: string, savedId: string): void {
    const sent = this.#sent.get(id);
    if (sent !== undefined) sent.id = savedId;
  }
}
