import { invalid } from '../errors.js';
import { SUMMARY_TYPE } from '../messages/message-window.js';
import { message } from '../messages/message.js';
import { encodeWaiting } from './pending-list.js';
import type { UIMessage } from '../messages/ui-message.js';
import { WaitingMessage } from './waiting-message.js';
import type { SaveResult } from '../save-result.js';
import {
  toBranchInfo,
  type BranchData,
  type NewMessageData,
  type SavedMessages,
  type SaveOptions,
} from '../store/store-data.js';
import type { EngineState } from './engine-state.js';

export type EngineSaveOptions = Pick<SaveOptions, 'expectedHeadId' | 'onConflict'>;

interface Save {
  own: BranchData;
  sent: readonly NewMessageData[];
  saved: SavedMessages;
  options: EngineSaveOptions;
}

/**
 * Saves pending messages at the end of the engine's branch, and moves the engine to the branch that they are saved to.
 * @param others saved after them
 */
export async function savePending(
  state: EngineState,
  messages: readonly WaitingMessage[],
  options: EngineSaveOptions,
  others: readonly NewMessageData[] = [],
): Promise<SaveResult> {
  const { store, chatId, position, pending } = state;
  const sent = [...encodeWaiting(messages), ...others];
  const own = await position.begin();
  const saved =
    sent.length === 0
      ? { branch: own, messages: [], branched: false }
      : await store.saveMessages(chatId, sent, { ...options, branch: own.name });
  const branch = (await isMove(state, { own, sent, saved, options })) ? saved.branch : own;
  pending.drop(messages);
  position.moveTo(branch);
  return { ...saved, branch: toBranchInfo(branch) };
}

/** Saves pending messages, and a summary of all messages up to them, after the head that the engine has read. */
export async function saveSummary(
  { store, chatId, position, pending }: EngineState,
  messages: readonly WaitingMessage[],
  content: string | UIMessage,
): Promise<SaveResult> {
  const { name, headMessageId } = await position.begin();
  const [summary, ...sent] = encodeWaiting([new WaitingMessage(message(content)), ...messages]);
  if (summary === undefined || (headMessageId === null && sent.length === 0)) {
    throw invalid('The branch has no messages to summarise');
  }
  const options = { branch: name, expectedHeadId: headMessageId };
  const saved = await store.saveMessages(chatId, [...sent, { ...summary, type: SUMMARY_TYPE }], options);
  pending.drop(messages);
  position.moveTo(saved.branch);
  return { ...saved, branch: toBranchInfo(saved.branch) };
}

/**
 * Whether a save moves the engine to the branch that it returns: for a new version of a message or by FORK, now or when a response
 * was lost. Any other retry can return any branch that ends in the last message.
 */
async function isMove({ store, position }: EngineState, { own, sent, saved, options }: Save): Promise<boolean> {
  const { branch, messages, branched } = saved;
  if (branched || branch.id === own.id) return true;
  if (sent.some(({ id }, index) => id !== undefined && messages[index]?.id !== id)) return true;
  if (options.onConflict !== 'FORK' && sent.every(({ id }) => id !== undefined)) return false;
  // A lazy message can be a recognised version, or equal to one of the branch; FORK can have placed it elsewhere.
  const { headMessageId } = await position.refresh();
  const path = headMessageId === null ? [] : await store.getMessageChain(headMessageId);
  return !path.some(({ id }) => id === messages.at(-1)?.id);
}
