/** The fields that the payloads of all removals have. */
import { encodeNodeId } from './node-id.js';

export const DELETED_ID = { description: 'The id of the deleted object.' };

/**
 * Options of `deletedNodeId`.
 * @param keyOf the id in the nodeId
 */
export function deletedNodeId<Payload>(typename: string, keyOf: (payload: Payload) => string) {
  return {
    description: 'The nodeId of the deleted object, for caches.',
    resolve: (payload: Payload): string => encodeNodeId(typename, keyOf(payload)),
  };
}
