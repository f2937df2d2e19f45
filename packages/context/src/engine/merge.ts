/** Saves a message that draws on the heads of other branches. */
import { invalid } from '../errors.js';
import { isFragment, isMessageFragment, type ContextFragment } from '../fragments/fragment.js';
import { message } from '../messages/message.js';
import { encodeWaiting } from './pending-list.js';
import type { UIMessage } from '../messages/ui-message.js';
import { checkMessage, WaitingMessage } from './waiting-message.js';
import type { SaveResult } from '../save-result.js';
import { branchNotFound } from '../store/context-store.js';
import { checkKnown } from '../store/known-fields.js';
import type { EngineState } from './engine-state.js';
import { savePending } from './pending-saves.js';

/** Branches per merge: a message has at most as many sources. */
const MAX_BRANCHES = 16;

export interface MergeOptions {
  /** The name of another branch of the chat, or of up to 16: their heads become the sources of the message. */
  branch: string | readonly string[];
  /** A text or a UIMessage, or a message with a name, such as `assistant('…')`. */
  message: string | UIMessage | ContextFragment;
}

/** Saves pending messages and the message at the end of the engine's branch. */
export async function merge(
  state: EngineState,
  pending: readonly WaitingMessage[],
  options: MergeOptions,
): Promise<SaveResult> {
  const { store, chatId, position } = state;
  const given = checkKnown(options, ['branch', 'message']);
  const names = typeof given.branch === 'string' ? [given.branch] : given.branch;
  // Arguments are unchecked when called from JavaScript.
  if (!Array.isArray(names) || names.length === 0 || names.length > MAX_BRANCHES) {
    throw invalid(`branch must be the name of a branch, or 1 to ${MAX_BRANCHES} names`, 'branch');
  }
  const fragment = isFragment(given.message) ? given.message : message(given.message);
  if (!isMessageFragment(fragment)) throw invalid('message must be a message', 'message');
  checkMessage(fragment, 'message');
  const [merged] = encodeWaiting([new WaitingMessage(fragment)]);
  if (merged === undefined) throw invalid('message must be saved: its persist is false', 'message');
  const own = await position.begin();
  const sourceIds: string[] = [];
  for (const name of names as readonly string[]) {
    if (name === own.name) throw invalid(`branch "${name}" is the branch of the engine`, 'branch');
    const branch = (await store.getBranch(chatId, name)) ?? null;
    if (branch === null) throw branchNotFound(name, chatId);
    if (branch.headMessageId === null) throw invalid(`Branch "${name}" has no messages to merge`, 'branch');
    // Two branches may have one head.
    if (!sourceIds.includes(branch.headMessageId)) sourceIds.push(branch.headMessageId);
  }
  return savePending(state, pending, {}, [{ ...merged, sourceIds }]);
}
