/**
 * Writes the words of titles for filters of chats, in the background: neither changes nor servers of an older version do.
 * Each chat names the title of its words, so an index finds those that lack them; filters test these chats, too.
 */
import { paced } from '../../scheduler/lock-pacing.js';
import { indexedWords } from '../../search/terms.js';
import type { Connection } from '../connection/connection.js';

const CHATS_PER_STEP = 500;

/**
 * Writes all missing words, except of chats that are locked now, each chat in its own transaction. Several processes may do
 * so concurrently.
 * @param signal ends the call after the current chat
 */
export async function indexTitles(
  { sql, read, write }: Pick<Connection, 'sql' | 'read' | 'write'>,
  signal?: AbortSignal,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: string = after;
    const found: { id: string }[] = await read((db) =>
      db.rows<{ id: string }>(sql.outdatedTitles(from, CHATS_PER_STEP)),
    );
    for (const { id: chatId } of found) {
      if (signal?.aborted === true) return;
      await paced((begin) =>
        write(chatId, async (tx) => {
          const [chat] = await tx.rows<{ title: string | null }>(sql.lockTitle(chatId));
          begin();
          // Deleted, or indexed by another server meanwhile; or locked, until the next call.
          if (chat === undefined) return;
          await tx.run(sql.deleteTitleWords(chatId));
          const rows = Array.from(indexedWords(chat.title ?? ''), (word) => ({ chatId, word }));
          if (rows.length > 0) await tx.run(sql.insert('chat_title_words', rows));
          tx.runLast(sql.setIndexedTitle(chatId, chat.title));
        }),
      );
    }
    after = found.length < CHATS_PER_STEP ? undefined : found.at(-1)?.id;
  }
}
