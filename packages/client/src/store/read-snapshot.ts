/** Reads the first page of a chat, in a page or during a server-side render. */
import type { Parley } from '../connection/create-parley.js';
import { OpenThread, ReadBranches, ReadCheckpoints } from '../generated/operations.js';
import type { Snapshot } from './chat-record.js';

/** @returns null when this user has no such chat */
export async function readSnapshot(
  parley: Parley,
  chatId: string,
  last: number,
  signal?: AbortSignal,
): Promise<Snapshot | null> {
  const { chat } = await parley.run(OpenThread, { chatId, last }, signal);
  if (chat !== null) await readRest(parley, chat, signal);
  return chat;
}

/** Adds branches and checkpoints beyond the first page. Later changes arrive as events. */
async function readRest(parley: Parley, { id, branches, checkpoints }: Snapshot, signal?: AbortSignal): Promise<void> {
  for (let { pageInfo } = branches; pageInfo.hasNextPage;) {
    const { chat } = await parley.run(ReadBranches, { chatId: id, after: pageInfo.endCursor ?? '' }, signal);
    if (chat === null) return;
    branches.edges.push(...chat.branches.edges);
    ({ pageInfo } = chat.branches);
  }
  for (let { pageInfo } = checkpoints; pageInfo.hasNextPage;) {
    const { chat } = await parley.run(ReadCheckpoints, { chatId: id, after: pageInfo.endCursor ?? '' }, signal);
    if (chat === null) return;
    checkpoints.edges.push(...chat.checkpoints.edges);
    ({ pageInfo } = chat.checkpoints);
  }
}
