/**
 * Keeps message_texts up to date with the analyzer. Saves index their messages; messages of an older analyzer are
 * reindexed here, in interruptible steps, which also clear previews of hidden messages.
 */
import type { Sql } from 'sql-template-tag';
import { shownText } from '../../conversation/text/message-text.js';
import { FillReport, type MigrationOptions } from './progress.js';
import type { Connection } from '../connection/connection.js';
import { createReader } from '../reading/reader.js';
import { paced } from '../../scheduler/lock-pacing.js';
import { writeTexts } from './write-messages.js';

/** Increase it with every change of the terms of a message: of src/search or of shownText. */
const ANALYZER_VERSION = 2;
const MESSAGES_PER_STEP = 100;
/** Texts of another analyzer that a step deletes. */
const TEXTS_PER_STEP = 1_000;
/** Longer than any data, so that all data is inlined. */
const WHOLE = 2 ** 30;
/** The write-queue key of the steps. */
const KEY = 'search index';

export async function isSearchUpToDate(connection: Connection): Promise<boolean> {
  const [row] = await connection.read((db) => db.rows<{ analyzer: number }>(connection.sql.analyzer()));
  return row?.analyzer === ANALYZER_VERSION;
}

/**
 * Indexes outdated messages. Several instances may do so concurrently, and interrupted ones are continued.
 * @throws the signal's reason
 */
export async function bringSearchUpToDate(
  connection: Connection,
  { onProgress, signal }: MigrationOptions = {},
): Promise<void> {
  if (await isSearchUpToDate(connection)) return;
  const { sql, rows } = createReader(connection);
  while (await deleteOldTexts(connection)) signal?.throwIfAborted();
  const all = async (statement: Sql) => sql.rows.messages(await rows(statement));
  let report: FillReport | undefined;
  let last: string | undefined = '';
  while (last !== undefined) {
    signal?.throwIfAborted();
    const step = await all(sql.messagesAfter(last, MESSAGES_PER_STEP, WHOLE));
    if (report === undefined && step.length === MESSAGES_PER_STEP) {
      const [count] = await connection.long.rows<{ total: number }>(sql.countAll('messages'));
      report = new FillReport('search index', count?.total ?? 0, { onProgress });
    }
    const texts = step.map((message) => ({ ...message, text: shownText(JSON.parse(String(message.data))) }));
    const textless = texts.filter(({ text }) => text === '').map(({ id }) => id);
    try {
      if (texts.length > 0)
        await connection.write(KEY, async (tx) => {
          await writeTexts(tx, sql, texts);
          if (textless.length > 0) await tx.run(sql.clearPreviews(textless));
        });
    } catch (error) {
      const there = await all(
        sql.messagesById(
          step.map(({ id }) => id),
          0,
        ),
      );
      if (there.length === step.length) throw error;
      // Another instance deleted a chat meanwhile: retry without its messages.
      continue;
    }
    report?.add(step.length);
    // The text may be any after the requested id: none before it is skipped.
    last = step.at(-1)?.id;
  }
  report?.end();
  try {
    await connection.write(KEY, (tx) => tx.run(sql.insertAnalyzer(ANALYZER_VERSION)));
  } catch (error) {
    // Another instance was first.
    if (sql.failure(error) !== 'duplicate') throw error;
  }
}

/**
 * Deletes the next texts of another analyzer. Its row exists when an index is complete, and is deleted with the last texts.
 * @returns whether any are left
 */
function deleteOldTexts({ sql, write }: Connection): Promise<boolean> {
  return paced((begin) =>
    write(KEY, async (tx) => {
      // Without the row, another instance has deleted all texts, and there may be new ones.
      if ((await tx.run(sql.lockOtherAnalyzer(ANALYZER_VERSION))) === 0) return false;
      begin();
      const [last] = await tx.rows<{ id: number }>(sql.nthText(TEXTS_PER_STEP - 1));
      if (last !== undefined) {
        await tx.run(sql.deleteTextsTo(last.id));
        return true;
      }
      await tx.run(sql.deleteAllTexts());
      await tx.run(sql.deleteOtherAnalyzer(ANALYZER_VERSION));
      await tx.run(sql.forgetTitleWords());
      return false;
    }),
  );
}
