/** The cost of imports and exports: their time against the same rows with the bare driver, and their memory. */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { openDatabase } from '../../src/database/opening/open.js';
import { openSourceFile } from '@parley/interchange/server';
import { importFile } from '../../src/features/imports/import-file.js';
import { measureExport } from './interchange/export.js';
import type { Ratio } from './measuring/report.js';

const CONVERSATIONS = 400;
const MESSAGES = 50;
/** SQLite's page cache, set by its cache_size. */
const SQLITE_MB = 64;
/** Tables that an import fills, directly or by triggers. */
const TABLES = ['chats', 'messages', 'branches', 'chat_events', 'message_texts'];

export async function* measureInterchange(folder: string): AsyncGenerator<Ratio> {
  const source = join(folder, 'conversations.json');
  await writeExport(source, CONVERSATIONS, MESSAGES);
  const imported = join(folder, 'imported.db');
  const { store } = await openDatabase({ url: `file:${imported}` });
  const file = await openSourceFile(source);
  const begin = performance.now();
  const { messages } = await importFile(store, 'local', file);
  const time = performance.now() - begin;
  await file.close();
  await store.close();
  const bare = await bareTime(imported, join(folder, 'bare.db'));
  const perSecond = (ms: number) => (messages.imported / ms) * 1000;
  const detail = `${perSecond(time).toFixed(0)} against ${perSecond(bare).toFixed(0)} messages a second`;
  yield {
    what: 'import into SQLite against the same rows with the bare driver',
    ratio: time / bare,
    goal: 4,
    detail,
  };
  yield {
    what: 'messages a second of an import into SQLite',
    ratio: perSecond(time),
    goal: 8000,
    atLeast: true,
    unit: 'a second',
    detail,
  };
  yield* measureExport(folder, imported);
  const one = join(folder, 'one.json');
  await writeExport(one, 1, 100_000);
  const [small, large] = [await peakMegabytes(folder, source), await peakMegabytes(folder, one)];
  yield {
    what: 'memory of an import of 100,000 messages in one conversation',
    ratio: large,
    goal: 256 + SQLITE_MB,
    unit: 'MB',
    detail: `at its peak, all of the process; ${small.toFixed(0)} MB for ${CONVERSATIONS} conversations of ${MESSAGES}`,
  };
}

/**
 * Copies the rows of a database into another one with the same tables, one statement per row, in transactions of a
 * thousand.
 */
async function bareTime(from: string, to: string): Promise<number> {
  const { store } = await openDatabase({ url: `file:${to}` });
  await store.close();
  const [source, target] = [new Database(from, { readonly: true }), new Database(to)];
  target.pragma('synchronous = NORMAL');
  target.pragma('foreign_keys = OFF');
  const rows = TABLES.map((table) => ({
    table,
    rows: source.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[],
  }));
  const begin = performance.now();
  for (const { table, rows: all } of rows) {
    const names = Object.keys(all[0] ?? {}).filter((name) => !(table === 'message_texts' && name === 'id'));
    const columns = names.map((name) => `"${name}"`).join(', ');
    const insert = target.prepare(`INSERT INTO ${table} (${columns}) VALUES (${names.map(() => '?').join(', ')})`);
    const write = target.transaction((piece: Record<string, unknown>[]) => {
      for (const row of piece) insert.run(names.map((name) => row[name]));
    });
    for (let at = 0; at < all.length; at += 1000) write(all.slice(at, at + 1000));
  }
  const time = performance.now() - begin;
  source.close();
  target.close();
  return time;
}

/** The peak memory of a process that only imports this file, as reported by the system. */
function peakMegabytes(folder: string, source: string): Promise<number> {
  const code = `
      const { runCommand } = await import('./dist/command/command.js');
      const { command } = await import('./dist/features/imports/command.js');
      const terminal = { out() {}, error() {}, progress: null };
      const features = () => import('./dist/cli/command-features.js');
      const environment = { DATABASE_URL: process.argv[2] };
      await runCommand('import', command, [process.argv[1]], { terminal, environment, features });
      console.log(process.resourceUsage().maxRSS);`;
  const url = `file:${join(folder, `${source.length}-${performance.now()}.db`)}`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, source, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (text) => (printed += String(text)));
    child.on('error', reject);
    child.on('close', () => resolve(Number(printed.trim().split('\n').at(-1)) / 1024));
  });
}

const WORDS =
  'the quick brown fox jumps over a lazy dog while seven wizards mix potions under bright winter skies'.split(' ');

/** Writes an export in ChatGPT's format, one conversation at a time. */
async function writeExport(path: string, conversations: number, messages: number): Promise<void> {
  const out = createWriteStream(path);
  let seed = 1;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  out.write('[');
  for (let c = 0; c < conversations; c++) {
    const id = (n: number) => `c${c}-m${n}`;
    const head = { title: `Talk ${c}`, create_time: 1.7e9, update_time: 1.7e9 + messages, conversation_id: `c${c}` };
    out.write(
      `${c > 0 ? ',' : ''}${JSON.stringify({ ...head, current_node: id(messages - 1) }).slice(0, -1)},"mapping":{`,
    );
    for (let n = 0; n < messages; n++) {
      const text = Array.from({ length: 20 + next(80) }, () => WORDS[next(WORDS.length)]).join(' ');
      const message = {
        id: id(n),
        author: { role: n % 2 === 0 ? 'user' : 'assistant', name: null, metadata: {} },
        create_time: 1.7e9 + n,
        content: { content_type: 'text', parts: [text] },
        status: 'finished_successfully',
        metadata: { model_slug: 'gpt-5' },
        recipient: 'all',
      };
      const links = { parent: n === 0 ? null : id(n - 1), children: n + 1 < messages ? [id(n + 1)] : [] };
      const line = `${n > 0 ? ',' : ''}"${id(n)}":${JSON.stringify({ id: id(n), message, ...links })}`;
      if (!out.write(line)) await once(out, 'drain');
    }
    out.write('}}');
  }
  out.end(']');
  await finished(out);
}
