/** ConversationReads in SQL, composed of its parts. */
import type { ConversationReads } from '../../conversation/reads.js';
import type { Connection } from '../opening/connection.js';
import { branchReads } from './branches/branch-reads.js';
import { chatReads } from './chat-reads.js';
import { messageReads } from './message-reads.js';
import { filteredEvents } from './filters/filtered-events.js';
import { draftReads } from './draft-reads.js';
import { createReader } from './reader.js';
import { shareReads } from './share-reads.js';
import { sourceReads } from './source-reads.js';
import { searchReads } from './search/search-reads.js';
import { userReads } from './user-reads.js';

export function createReads(connection: Connection): ConversationReads {
  const reader = createReader(connection);
  return {
    ...chatReads(reader),
    ...filteredEvents(reader),
    ...branchReads(reader),
    ...messageReads(reader),
    ...sourceReads(reader),
    ...shareReads(reader),
    ...searchReads(reader),
    ...userReads(reader),
    ...draftReads(reader),
  };
}
