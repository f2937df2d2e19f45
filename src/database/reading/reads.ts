/** ConversationReads in SQL, composed of its parts. */
import type { ConversationReads, FeatureReads } from '../../conversation/reads.js';
import { addFeatureReads } from '../change-hooks.js';
import type { Connection } from '../connection/connection.js';
import { branchReads } from './branches/branch-reads.js';
import { chatReads } from './chat-reads.js';
import { messageReads } from './message-reads.js';
import { filteredEvents } from './filters/filtered-events.js';
import { createReader } from './reader.js';
import { sourceReads } from './source-reads.js';
import { searchReads } from './search/search-reads.js';

export function createReads(connection: Connection): ConversationReads {
  const reader = createReader(connection);
  const reads: Omit<ConversationReads, keyof FeatureReads> = {
    ...chatReads(reader),
    ...filteredEvents(reader),
    ...branchReads(reader),
    ...messageReads(reader),
    ...sourceReads(reader),
    ...searchReads(reader),
  };
  return addFeatureReads(reads, connection, reader);
}
