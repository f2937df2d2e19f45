import { shownText } from '../../conversation/text/message-text.js';
import type { StoredMessage } from '../../conversation/model.js';
import type { Transaction } from '../opening/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { reserveIds, writeMessages, type WriteMessagesOptions } from '../writing/write-messages.js';
import type { Step } from './chat-steps.js';
import { CopyFault } from './copy-fault.js';

/** Writes copied rows unchanged, and indexes messages for search. */
export async function writeStep(
  tx: Transaction,
  sql: Dialect,
  step: Step,
  options?: WriteMessagesOptions,
): Promise<void> {
  switch (step.table) {
    case 'chats':
      for (const chat of step.rows) await tx.run(sql.insertChat(chat));
      return;
    case 'chat_members':
      await tx.run(sql.insertMembers(step.rows));
      return;
    case 'messages':
      await writeMessages(
        tx,
        sql,
        step.rows.map((row) => ({ ...row, text: textOf(row) })),
        options,
      );
      return;
    case 'message_files':
      await tx.run(sql.copyMessageFiles(step.rows));
      return;
    case 'branches':
      await reserveIds(tx, step.rows, 'branches');
      await tx.run(sql.insertBranches(step.rows));
      return;
    case 'checkpoints':
      await reserveIds(tx, step.rows, 'checkpoints');
      await tx.run(sql.insertCheckpoints(step.rows));
      return;
    case 'chat_events':
      await tx.run(sql.insertEvents(step.rows));
      return;
    case 'chat_forks':
      for (const fork of step.rows) await tx.run(sql.insertFork(fork));
      return;
    case 'drafts':
      for (const draft of step.rows) await tx.run(sql.insertDraft(draft));
      return;
    case 'draft_chunks':
      for (const piece of step.rows) await tx.run(sql.insertPiece({ chatId: piece.chatId, id: piece.draftId }, piece));
      return;
  }
}

function textOf({ id, data }: StoredMessage): string {
  try {
    return shownText(JSON.parse(data));
  } catch {
    throw new CopyFault(`the data of its message "${id}" is not JSON`);
  }
}
