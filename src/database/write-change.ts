/** Writing what a rule has noted in its change: a constant number of statements for any save that a client can ask for. */
import type { ChatChange } from '../conversation/change.js';
import type { Branch } from '../conversation/model.js';
import type { Transaction } from './connection.js';
import type { Dialect } from './dialect.js';
import { writeMessages } from './write-messages.js';

/** Writes everything but the chat's own row. */
export async function writeChange(tx: Transaction, sql: Dialect, change: ChatChange): Promise<void> {
  const chatId = change.chat.id;
  await writeMessages(tx, sql, change.messages);
  if (change.activatedBranchId !== null) {
    // First, because the index allows one active branch.
    await tx.branch.updateMany({ where: { chatId, isActive: true }, data: { isActive: false } });
  }
  const branches = [...change.branches.values()];
  const created = branches.filter((branch) => change.createdBranchIds.has(branch.id));
  if (created.length > 0) await tx.branch.createMany({ data: created.map(branchRow) });
  for (const branch of branches.filter((each) => !change.createdBranchIds.has(each.id))) {
    const { headMessageId, isActive } = branch;
    await tx.branch.update({ where: { id: branch.id }, data: { headMessageId, isActive } });
  }
  if (change.checkpoint !== null) {
    const { id, name, messageId, createdAt, seq } = change.checkpoint;
    await tx.checkpoint.upsert({
      where: { id },
      create: { id, chatId, name, messageId, createdAt, seq },
      update: { messageId, createdAt, seq },
    });
  }
  if (change.deletedCheckpointId !== null) {
    await tx.checkpoint.delete({ where: { id: change.deletedCheckpointId } });
  }
  await tx.chatEvent.createMany({
    data: change.events.map(({ payload, ...event }) => ({ ...event, payload: JSON.stringify(payload) })),
  });
}

function branchRow({ messageCount: _, ...row }: Branch): Omit<Branch, 'messageCount'> {
  return row;
}
