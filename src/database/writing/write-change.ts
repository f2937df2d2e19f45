/** Writes a ChatChange: a constant number of statements for every client save. */
import type { Sql } from 'sql-template-tag';
import { NewChat, type ChatChange } from '../../conversation/change.js';
import type { Branch, StoredEvent } from '../../conversation/model.js';
import { featureStatements } from '../change-hooks.js';
import type { Connection, Transaction } from '../connection/connection.js';
import { writeAllButLast, writeOwner } from './write-messages.js';

/** Branches or events per statement: more than any client save has. */
const ROWS_AT_ONCE = 2000;

/**
 * Writes everything except the chat's own row, with the commit.
 * @param others changes to combine: see Dialect.combineWrites
 */
export async function writeChange(
  tx: Transaction,
  { sql, scope: { hooks } }: Pick<Connection, 'sql' | 'scope'>,
  change: ChatChange,
  others: readonly Sql[] = [],
): Promise<void> {
  const chatId = change.chat.id;
  if (change.newOwnerId !== null) {
    await writeOwner(tx, sql, chatId, change.newOwnerId);
    const chat = { id: chatId, userId: change.newOwnerId };
    for (const each of hooks) await each.takeOver?.(chat, 'transfer', change.now, tx);
  }
  // First, because the index allows one active branch.
  if (change.activatedBranchId !== null) await tx.run(sql.deactivateBranch(chatId));

  const [created, changed]: [Branch[], Branch[]] = [[], []];
  for (const branch of change.branches.values()) {
    (change.createdBranchIds.has(branch.id) ? created : changed).push(branch);
  }
  const events = storedEvents(change);
  // A rule has reserved the ids of clients: see knownMessages.
  const changes = await writeAllButLast(tx, sql, change.messages, {
    hooks,
    hasReservedIds: !(change instanceof NewChat),
  });
  for (const rows of inPieces(created)) changes.push(sql.insert('branches', rows));
  for (const rows of inPieces(changed)) changes.push(sql.updateBranches(chatId, rows));
  for (const rows of inPieces(events)) changes.push(sql.insert('chat_events', rows));
  // An import may have a branch and an event per message: yield to other operations.
  const early = events.length > ROWS_AT_ONCE ? changes.splice(0, changes.length - 1) : [];
  for (const statement of early) await tx.run(statement);
  for (const statement of sql.combineWrites([...changes, ...others])) tx.runLast(statement);

  for (const each of hooks) for (const statement of each.lastStatements?.(change) ?? []) tx.runLast(statement);

  const { checkpoint, deletedCheckpointId, renamedBranch, deletedBranchId, openImport, fork } = change;
  if (fork !== null) tx.runLast(sql.insertRows('chat_forks', [fork]));
  if (openImport !== undefined) tx.runLast(sql.deleteImport(chatId));
  if (openImport) tx.runLast(sql.insertRows('chat_imports', [{ chatId, deletedAt: null, ...openImport }]));
  if (renamedBranch !== null) tx.runLast(sql.renameBranch(renamedBranch));
  if (deletedBranchId !== null) tx.runLast(sql.deleteBranch({ chatId, id: deletedBranchId }));
  const replacedId = checkpoint?.id ?? deletedCheckpointId;
  if (replacedId !== null) tx.runLast(sql.deleteCheckpoint({ chatId, id: replacedId }));
  if (checkpoint !== null) tx.runLast(sql.insertRows('checkpoints', [checkpoint]));
}

export async function insertChat(
  connection: Pick<Connection, 'sql' | 'scope'>,
  tx: Transaction,
  change: NewChat,
): Promise<void> {
  const { sql, scope } = connection;
  await scope.form?.lists?.expect(change.chat);
  await tx.run(sql.insertRows('chats', [change.chat]));
  await writeChange(tx, connection, change, featureStatements(connection, change));
}

export function storedEvents({ events }: ChatChange): StoredEvent[] {
  return events.map(({ payload, ...event }) => ({ ...event, payload: JSON.stringify(payload) }));
}

function inPieces<Row>(rows: readonly Row[]): Row[][] {
  const pieces: Row[][] = [];
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) pieces.push(rows.slice(at, at + ROWS_AT_ONCE));
  return pieces;
}
