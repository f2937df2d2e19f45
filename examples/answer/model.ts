import type { UIMessageChunk } from 'ai';
import type { ChainMessage } from './parley-server.js';

/** A language model. */
export interface AnswerModel {
  /** Stored in the metadata of each answer. */
  readonly name: string;
  /**
   * The chunks of an answer to the last message; an `error` chunk ends it.
   * @param messages root first
   */
  answer(messages: readonly ChainMessage[], signal: AbortSignal): AsyncIterable<UIMessageChunk>;
  /** A title for a chat that begins with this question. */
  title(question: string, signal: AbortSignal): Promise<string>;
}
