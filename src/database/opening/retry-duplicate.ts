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
