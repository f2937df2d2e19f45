/** A checksum that is equal for equal chats: SHA-256 over all rows and columns. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../conversation/text/canonical-json.js';
import type { StoredMessage } from '../../conversation/model.js';
import { TABLES, type Column } from '../../conversation/tables.js';
import { chatSteps } from './chat-steps.js';
import type { RowStep, Table } from '../../database/whole-chats/chat-steps.js';
import type { ChatState, Reading } from '../../database/whole-chats/chat-state.js';

export class ChatChecksum {
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
