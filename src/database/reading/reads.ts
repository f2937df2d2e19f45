/** ConversationReads in SQL, composed of its parts. */
import type { ConversationReads } from '../../conversation/reads.js';
import type { Connection } from '../connection/connection.js';
import { branchReads } from './branches/branch-reads.js';
import { chatReads } from './chat-reads.js';
import { messageReads } from './message-reads.js';
import { filteredEvents } from './filters/filtered-events.js';
import { createReader, type Reader } from './reader.js';
import { sourceReads } from './source-reads.js';
import { searchReads } from './search/search-reads.js';

/** Makes some of the reads. */
type Part = (reader: Reader) => object;

const PARTS: readonly Part[] = [chatReads, filteredEvents, branchReads, messageReads, sourceReads, searchReads];

export function createReads(connection: Connection): ConversationReads {
  return createReadsOf(connection)(connection);
}

/**
 * The reads of a database with its features, for each operation. Each part is made at the first use of one of its reads,
 * because an operation uses few.
 * @returns a function that makes the reads of a connection to the same database, within the limits of an operation
 */
export function createReadsOf(connection: Connection): (bounded: Connection) => ConversationReads {
  const parts = [...PARTS, ...connection.scope.hooks.flatMap(({ reads }) => reads ?? [])];
  const reader = createReader(connection);
  const members: PropertyDescriptorMap = {};
  for (const [n, part] of parts.entries()) {
    for (const name of Object.keys(part(reader))) {
      members[name] = {
        enumerable: true,
        get(this: OperationReads) {
          return (this.made[n] ??= part(this.reader) as Record<string, unknown>)[name];
        },
      };
    }
  }
  const common = Object.create(null, members) as object;
  return (bounded) =>
    Object.create(common, { reader: { value: createReader(bounded) }, made: { value: [] } }) as ConversationReads;
}

interface OperationReads {
  readonly reader: Reader;
  /** The parts that are used. */
  readonly made: Record<string, unknown>[];
}
