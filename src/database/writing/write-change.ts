/** Writing what a rule has noted in its change: a constant number of statements for any save that a client can ask for. */
import type { Sql } from 'sql-template-tag';
import type { ChatChange } from '../../conversation/change.js';
import type { Transaction } from '../opening/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { writeAllButLast, writeOwner } from './write-messages.js';

/** Branches or events in a statement: more than any save of a client's has. */
const ROWS_AT_ONCE = 2000;

/** Writes everything but the chat's own row, with the commit. @param others changes to be written with it: see Dialect.together */
export async function writeChange(
  tx: Transaction,
  sql: Dialect,
  change: ChatChange,
  others: readonly Sql[] = [],
): Promise<void> {
  const chatId = change.chat.id;
  if (change.newOwnerId !== null) await writeOwner(tx, sql, chatId, change.newOwnerId);
  // First, because the index allows one active branch.
  if (change.activatedBranchId !== null) await tx.run(sql.deactivateBranch(chatId));

  const branches = [...change.branches.values()];
  const created = branches.filter((branch) => change.createdBranchIds.has(branch.id));
  const changed = branches.filter((branch) => !change.createdBranchIds.has(branch.id));
  const events = change.events.map(({ payload, ...event }) => ({ ...event, payload: JSON.stringify(payload) }));
  let last = await writeAllButLast(tx, sql, change.messages);
  const next = async (statement: Sql) => {
    for (const one of sql.together(last)) await tx.run(one);
    last = [statement];
  };
  if (events.length <= ROWS_AT_ONCE) {
    if (created.length > 0) last.push(sql.insertBranches(created));
    last.push(...(changed.length > 0 ? [sql.updateBranches(changed)] : []), sql.insertEvents(events));
  } else {
    // An import may have a branch for each of its messages: others have their turns meanwhile.
    for (const rows of inPieces(created)) await next(sql.insertBranches(rows));
    for (const rows of inPieces(changed)) await next(sql.updateBranches(rows));
    for (const rows of inPieces(events)) await next(sql.insertEvents(rows));
  }
  for (const statement of sql.together([...last, ...others])) tx.runLast(statement);

  const { checkpoint, deletedCheckpointId, renamedBranch, deletedBranchId } = change;
  if (renamedBranch !== null) tx.runLast(sql.renameBranch(renamedBranch.id, renamedBranch.name));
  if (deletedBranchId !== null) tx.runLast(sql.deleteBranch(deletedBranchId));
  const replacedId = checkpoint?.id ?? deletedCheckpointId;
  if (replacedId !== null) tx.runLast(sql.deleteCheckpoint(replacedId));
  if (checkpoint !== null) tx.runLast(sql.insertCheckpoints([checkpoint]));
}

function* inPieces<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) yield rows.slice(i, i + ROWS_AT_ONCE);
}
