import { expect } from 'vitest';
import { encodeNodeId } from '../../../src/graphql/node/node-id.js';
import { VIEWER } from './large-chats.js';
import type { Parley } from '../server/parley.js';

/** Expects that no query returns chat c, its first message of large-chats.ts, or any other part of it. */
export async function expectUnreachable(
  parley: Parley,
  ids: { branchId: string; checkpointId: string },
): Promise<void> {
  const node = (type: string, id: string) => `node(nodeId: ${JSON.stringify(encodeNodeId(type, id))}) { nodeId }`;
  const { data, errors } = await parley.ask(`{
    chat(id: "c") { id }
    message(id: "c-0") { id }
    chats(first: 10) { totalCount edges { node { id } } }
    mine: chats(first: 10, filter: { userId: "${VIEWER.userId}" }) { totalCount edges { node { id } } }
    users(first: 10) { totalCount edges { node { id } } }
    search(query: "c 0", first: 10) { edges { node { message { id } } } }
    nodeOfChat: ${node('Chat', 'c')}
    nodeOfMessage: ${node('Message', 'c-0')}
    nodeOfBranch: ${node('Branch', ids.branchId)}
    nodeOfCheckpoint: ${node('Checkpoint', ids.checkpointId)}
  }`);
  expect(errors).toBeUndefined();
  const nothing = { totalCount: 0, edges: [] };
  expect(data).toEqual({
    chat: null,
    message: null,
    chats: nothing,
    mine: nothing,
    users: nothing,
    search: { edges: [] },
    nodeOfChat: null,
    nodeOfMessage: null,
    nodeOfBranch: null,
    nodeOfCheckpoint: null,
  });
}
