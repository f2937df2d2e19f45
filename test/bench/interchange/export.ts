/** The cost of an export against reading the same rows with the bare driver and writing them as JSON. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { openDatabase } from '../../../src/database/opening/open.js';
import { exportChats, ExportReport } from '../../../src/features/exports/export-chats.js';
import { inPieces } from '../../../src/features/exports/pieces.js';
import { ChatArchive } from '../../../src/features/exports/archive.js';
import { parley } from '@parley/interchange/server';
import { mediansOfTurns, timeOf } from '../measuring/measure.js';
import type { Ratio } from '../measuring/report.js';

const TABLES = ['chats', 'messages', 'branches', 'checkpoints', 'chat_events'];
const ROUNDS = 5;

/** @param database the path of a database with conversations */
export async function* measureExport(folder: string, database: string): AsyncGenerator<Ratio> {
  const { store, connection } = await openDatabase({ url: `file:${database}` });
  const all = { userId: null, chatId: null, since: null, paths: 'active' as const };
  let messages = 0;
  const times = await mediansOfTurns(
    {
      exported: async () => {
        const report = new ExportReport(parley);
        const chats = exportChats({ ...all, archive: new ChatArchive(connection), writer: parley }, report);
        const time = await timeOf(() => pipeline(inPieces(chats), createWriteStream(join(folder, 'exported.jsonl'))));
        messages = report.messages;
        return [time];
      },
      bare: async () => [await timeOf(() => writeBare(database, join(folder, 'bare.jsonl')))],
    },
    ROUNDS,
    1,
  );
  await store.close();
  const perSecond = (ms: number) => (messages / ms) * 1000;
  const detail = `${perSecond(times.exported).toFixed(0)} against ${perSecond(times.bare).toFixed(0)} messages a second`;
  const what = 'export from SQLite against the same rows with the bare driver';
  yield { what, ratio: times.exported / times.bare, goal: 3, detail };
  yield {
    what: 'messages a second of an export from SQLite',
    ratio: perSecond(times.exported),
    goal: 30_000,
    atLeast: true,
    unit: 'a second',
    detail,
  };
}

async function writeBare(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true });
  const out = createWriteStream(to);
  for (const table of TABLES) {
    for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) out.write(`${JSON.stringify(row)}\n`);
  }
  out.end();
  await finished(out);
  source.close();
}
