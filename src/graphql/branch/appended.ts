import type { HeadUpdate } from '../../events/head-updates.js';
import type { Message } from '../../conversation/model.js';
import type { Context } from '../context.js';
import { wholeList } from '../limits/object-budget.js';
import { messageOrNull } from '../answers/references.js';

/**
 * The messages between the previous head and the new one, root first; none when the new head is not below the previous
 * one.
 */
export async function appended(update: HeadUpdate, context: Context): Promise<Message[]> {
  const { loaders } = context;
  const whole = wholeList(context);
  const { chatId, previousHeadId, headId, saved } = update;
  if (headId === null || headId === previousHeadId) return [];
  // Mostly these are the saved messages.
  if (saved.firstSeq <= saved.lastSeq) {
    const messages = await loaders.messageRange.load({ chatId, ...saved });
    if (messages[0]?.parentId === previousHeadId && messages.at(-1)?.id === headId) return messages;
  }
  const [previous, head] = await Promise.all([
    messageOrNull(chatId, previousHeadId, context),
    messageOrNull(chatId, headId, context),
  ]);
  if (head === null || (previousHeadId !== null && previous === null)) return [];
  const path = { chatId, headMessageId: headId, messageCount: head.depth + 1 };
  if (previous === null) return (await loaders.pathPage.load(path, whole)).rows;
  // One message first: the path may be long, and lead elsewhere.
  const at = await loaders.pathPage.load(path, { ...whole, first: 1, after: previous.depth - 1 });
  if (at.rows[0]?.id !== previousHeadId) return [];
  return (await loaders.pathPage.load(path, { ...whole, after: previous.depth })).rows;
}

/** The first of the messages saved with an update, and its siblings; none when it has no siblings. */
export async function savedBeside({ chatId, saved }: HeadUpdate, context: Context): Promise<Message[]> {
  const { loaders } = context;
  const { firstSeq, lastSeq } = saved;
  if (firstSeq > lastSeq) return [];
  const [first] = await loaders.messageRange.load({ chatId, firstSeq, lastSeq: firstSeq });
  if (first === undefined) return [];
  const { rows } = await loaders.childPage.load({ chatId, parentId: first.parentId }, wholeList(context));
  return rows.length > 1 ? rows : [];
}
