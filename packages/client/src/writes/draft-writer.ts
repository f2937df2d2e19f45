/** Writes a message as a draft: the chunks are sent in order, several in one request. */
import { DraftRequests } from '../drafts/draft-requests.js';
import type { MessageWrites } from './message-writes.js';
import { ThreadWriter } from './thread-writer.js';

export class DraftWriter extends DraftRequests {
  /** @internal Writes the drafts of a store. */
  static of(messages: MessageWrites): ThreadWriter<DraftWriter> {
    return new ThreadWriter(messages, this);
  }
}
