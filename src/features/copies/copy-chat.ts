import { isThere, readState, type ChatState, type Reading } from '../../database/whole-chats/chat-state.js';
import { chatSteps } from './chat-steps.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';
import { copyFilesOfChat } from './copy-files.js';
import { SideError, type Side } from './side.js';
import { copyStatements } from './statements.js';
import { fillDigests } from '../../database/writing/fill-digests.js';
import { writeStep } from '../../database/whole-chats/write-step.js';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../conversation/text/canonical-json.js';
import type { StoredMessage } from '../../conversation/model.js';
import { TABLES, type Column } from '../../conversation/tables.js';
import type { RowStep, Table } from '../../database/whole-chats/chat-steps.js';

/** A checksum that is equal for equal chats: SHA-256 over all rows and columns. */
class ChatChecksum {
  readonly #hash = createHash('sha256');

  /** The result does not depend on the size of the steps. */
  add(step: RowStep): void {
    for (const row of step.rows) this.#hash.update(textOf(step.table, row));
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

/** JSON arrays separate values unambiguously. JSONB keeps only the value of JSON. */
function textOf(table: Table, row: object): string {
  const values: Readonly<Record<string, unknown>> = { ...row };
  const columns = Object.entries<Column>(TABLES[table]).map(([name, { kind }]) =>
    kind === 'jsonb' ? canonicalJson(values[name] as string) : values[name],
  );
  const { sources = [], sourceHashes = [] } = row as Partial<StoredMessage>;
  const hashes = sourceHashes.map(({ position, hash }) => [position, hash]);
  return JSON.stringify([table, ...columns, ...sources.map(({ seq }) => seq), ...hashes]);
}

export async function checksumOf(from: Reading, state: ChatState): Promise<string> {
  const checksum = new ChatChecksum();
  for await (const step of chatSteps(from, state)) checksum.add(step);
  return checksum.digest();
}

/** The outcome for a chat; `missing` when it no longer exists in the source. */
export type Outcome = { result: 'copied' | 'same'; messages: number } | { result: 'missing' };

/**
 * Copies a chat in one transaction of the target, which also reads and compares the written rows. An existing chat is
 * compared only.
 * @param onProgress called with the number of copied messages
 * @throws CopyFault when the target has another chat with this id, or rejects the rows; SideError
 */
export async function copyChat(
  source: Side,
  target: Side,
  chatId: string,
  onProgress: (messages: number) => void = () => {},
): Promise<Outcome> {
  const state = await readState(source, chatId);
  if (state === null) return { result: 'missing' };
  const there = await readState(target, chatId);
  if (there !== null) {
    if (await isSame(source, state, target, there)) return { result: 'same', messages: state.lastMessageSeq };
    return { result: 'missing' };
  }
  let messages = 0;
  await copyFilesOfChat(source, target, state.chat);
  try {
    await target.write(chatId, async (tx) => {
      const written = new ChatChecksum();
      messages = 0;
      for await (const step of chatSteps(source, state)) {
        written.add(step);
        await writeStep(tx, target.sql, step, { hooks: [] });
        if (step.table === 'messages') onProgress((messages += step.rows.length));
      }
      if (!(await isThere(source, state))) throw new ChatDeleted();
      await verify({ sql: target.sql, read: (query) => query(tx) }, chatId, written.digest(), messages);
      await target.scope.form?.lists?.expect(state.chat);
    });
  } catch (error) {
    if (error instanceof ChatDeleted) return { result: 'missing' };
    if (!(error instanceof SideError) || error.isUnavailable) throw error;
    // Remains of a deleted chat may violate the target's constraints.
    if (!(await isThere(source, state))) return { result: 'missing' };
    if (target.sql.failure(error) === 'duplicate') {
      throw new CopyFault('the target has another chat with this id, or with an id of its messages or branches');
    }
    throw error;
  }
  await target.scope.form?.lists?.list([state.chat]);
  await fillDigests(target, { ofChat: chatId });
  return { result: 'copied', messages };
}

/** Deleted while it was copied: roll back. */
class ChatDeleted extends CopyFault {}

/**
 * @returns false when it no longer exists in the source
 * @throws CopyFault when they differ
 */
async function isSame(source: Side, state: ChatState, target: Side, there: ChatState): Promise<boolean> {
  const [version, targetVersion] = [state.chat.version, there.chat.version];
  if (version !== targetVersion) {
    throw new CopyFault(`the target has its version ${targetVersion} and the source ${version}; it was left as it is`);
  }
  if ((await checksumOf(source, state)) === (await checksumOf(target, there))) return true;
  if (!(await isThere(source, state))) return false;
  throw new CopyFault('the target has it with other content; it was left as it is');
}

/** @throws CopyFault when the rows read differ from those written */
async function verify(tx: Reading, chatId: string, checksum: string, messages: number): Promise<void> {
  const written = await readState(tx, chatId);
  if (written === null || (await checksumOf(tx, written)) !== checksum) {
    throw new CopyFault('the rows read from the target differ from the written rows');
  }
  const [texts] = await tx.read((db) =>
    db.rows<{ total: number }>(copyStatements(tx.sql.differences).countRows('message_texts', chatId)),
  );
  const found = texts?.total ?? 0;
  if (found !== messages) throw new CopyFault(`the target can find ${found} of its ${messages} messages`);
}
