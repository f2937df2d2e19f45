/**
 * Keeps message_texts as the present analyzer would write it. Messages are indexed in the transaction that saves them;
 * those of a time before there was search, or another analyzer, are indexed here, in steps that may be interrupted.
 */
import type { Sql } from 'sql-template-tag';
import { messageText } from '../../conversation/text/message-text.js';
import type { Connection } from '../opening/connection.js';
import { createReader } from '../reading/reader.js';
import { writeTexts } from './write-messages.js';

/** To be raised with every change of src/search after which a text gets other terms. */
const ANALYZER_VERSION = 1;
const MESSAGES_PER_STEP = 100;
/** Longer than any data: all of it comes along. */
const WHOLE = 2 ** 30;
/** The key under which the steps wait for each other. */
const KEY = 'search index';

/** Whether every message can be found. */
export async function isSearchUpToDate(connection: Connection): Promise<boolean> {
  const [row] = await connection.read((db) => db.rows<{ analyzer: number }>(connection.sql.analyzer()));
  return row?.analyzer === ANALYZER_VERSION;
}

/** Indexes what has to be. Several instances may do so at once, and one that was killed is taken up where it stopped. */
export async function bringSearchUpToDate(connection: Connection): Promise<void> {
  if (await isSearchUpToDate(connection)) return;
  const { sql, rows } = createReader(connection);
  await connection.write(KEY, async (tx) => {
    // The row is there when an index was complete: that of another analyzer. While one is made there is none.
    if ((await tx.run(sql.deleteOtherAnalyzer(ANALYZER_VERSION))) > 0) await tx.run(sql.deleteAllTexts());
  });
  const all = async (statement: Sql) => sql.rows.messages(await rows(statement));
  let last: string | undefined = '';
  while (last !== undefined) {
    const step = await all(sql.messagesAfter(last, MESSAGES_PER_STEP, WHOLE));
    const texts = step.map((message) => ({ ...message, text: messageText(JSON.parse(String(message.data))) }));
    try {
      if (texts.length > 0) await connection.write(KEY, (tx) => writeTexts(tx, sql, texts));
    } catch (error) {
      const there = await all(
        sql.messagesById(
          step.map(({ id }) => id),
          0,
        ),
      );
      if (there.length === step.length) throw error;
      // Another instance has deleted a chat meanwhile: once more, without its messages.
      continue;
    }
    // Whichever of them this is: it comes after what was asked for, and nothing before it is left out.
    last = step.at(-1)?.id;
  }
  try {
    await connection.write(KEY, (tx) => tx.run(sql.insertAnalyzer(ANALYZER_VERSION)));
  } catch (error) {
    // Another instance was quicker.
    if (sql.failure(error) !== 'duplicate') throw error;
  }
}
