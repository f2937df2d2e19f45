import { messageText } from '../../conversation/message-text.js';
import type { Message } from '../../generated/sqlite/client.js';
import type { Transaction } from '../opening/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { writeMessages } from '../writing/write-messages.js';
import type { Step } from './chat-steps.js';
import { CopyFault } from './copy-fault.js';

/** Writes rows as they are. Messages are made findable on the way. */
export async function writeStep(tx: Transaction, sql: Dialect, step: Step): Promise<void> {
  switch (step.table) {
    case 'chats':
      for (const chat of step.rows) await tx.$executeRaw(sql.insertChat(chat));
      return;
    case 'messages':
      await writeMessages(
        tx,
        sql,
        step.rows.map((row) => ({ ...row, createdAt: Number(row.createdAt), text: textOf(row) })),
      );
      return;
    case 'branches':
      await tx.branch.createMany({ data: [...step.rows] });
      return;
    case 'checkpoints':
      await tx.checkpoint.createMany({ data: [...step.rows] });
      return;
    case 'chat_events':
      await tx.chatEvent.createMany({ data: [...step.rows] });
      return;
  }
}

function textOf({ id, data }: Message): string {
  try {
    return messageText(JSON.parse(data));
  } catch {
    throw new CopyFault(`the data of its message "${id}" is not JSON`);
  }
}
