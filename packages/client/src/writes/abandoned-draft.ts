import { ParleyError } from '@parley/transport/errors';
import { ReadDrafts, type WrittenFragment } from '../generated/operations.js';
import type { MessageWrites } from './message-writes.js';

/**
 * Reads a draft that its writer has abandoned.
 * @throws ParleyError while the draft is being written, or after it has ended
 */
export async function abandonedDraft(
  { parley, model }: MessageWrites,
  id: string,
  signal: AbortSignal,
): Promise<WrittenFragment> {
  const { chat } = await parley.run(ReadDrafts, { chatId: model.chatId }, signal);
  const draft = chat?.drafts.edges.find(({ node }) => node.id === id)?.node;
  if (!draft) throw new ParleyError('The answer has ended', 'NOT_FOUND');
  if (draft.state !== 'ABANDONED') throw new ParleyError('The answer is being written', 'NOT_ABANDONED');
  return draft;
}
