import type { Sql } from 'sql-template-tag';
import type { Connection } from './connection.js';

/** Servers that insert the same key at the same moment are few, and each attempt lets one of them pass. */
const MAX_ATTEMPTS = 5;

/** Runs a transaction again when another one has inserted the same key meanwhile: then it finds the row. */
export async function retryDuplicate<T>({ sql }: Pick<Connection, 'sql'>, change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || sql.failure(error) !== 'duplicate') throw error;
    }
  }
}

/**
 * Replaces a row, or removes it.
 * @param key of the transaction
 * @param insert null removes it
 */
export function replaceRow(
  connection: Pick<Connection, 'sql' | 'write'>,
  key: string,
  { remove, insert }: { remove: Sql; insert: Sql | null },
): Promise<void> {
  return retryDuplicate(connection, () =>
    connection.write(key, async (tx) => {
      await tx.run(remove);
      if (insert !== null) await tx.run(insert);
    }),
  );
}
