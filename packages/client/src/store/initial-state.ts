/** `@parley/client/initial-state`: reads a chat during a server-side render, so that the page shows it immediately. */
import type { Parley } from '../connection/create-parley.js';
import { ReadPath } from '../generated/operations.js';
import type { Snapshot } from './chat-record.js';
import { readSnapshot } from './read-snapshot.js';

/** An opened chat as plain JSON: the option `initialState` of a store or of `useThread`. */
export interface InitialState {
  chatId: string;
  /** The name of the shown branch; null for the active branch. */
  branch: string | null;
  snapshot: Snapshot;
}

/**
 * Reads the newest page of a chat's thread, with its branches and checkpoints.
 * @param options `pageSize` and `branch` as for the store that shows the chat
 * @returns null when this user has no such chat
 * @throws the errors of `parley.run`
 */
export async function readThreadState(
  parley: Parley,
  chatId: string,
  { pageSize = 50, branch = null }: { pageSize?: number; branch?: string | null } = {},
  signal?: AbortSignal,
): Promise<InitialState | null> {
  const snapshot = await readSnapshot(parley, chatId, pageSize, signal);
  if (snapshot === null) return null;
  const { activeBranch, branches } = snapshot;
  const head = branches.edges.find(({ node }) => node.name === branch)?.node.head ?? null;
  if (head !== null && head.id !== activeBranch.head?.id) {
    const { message } = await parley.run(ReadPath, { messageId: head.id, last: pageSize }, signal);
    activeBranch.messages.edges.push(...(message?.path.edges ?? []));
  }
  return { chatId, branch, snapshot };
}
