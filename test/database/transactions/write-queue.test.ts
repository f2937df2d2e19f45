import { once } from 'node:events';
import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TimeoutError } from '../../../src/conversation/errors.js';
import type { Queryable } from '../../../src/database/connection/connection.js';
import { openSqliteFile } from '../../../src/database/drivers/sqlite.js';
import { migrateSqlite } from '../../../src/features/migrations/sqlite.js';
import { WriteQueue } from '../../../src/database/connection/write-queue.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { chat } from '../../support/database/keyed-statements.js';

class Busy extends Error {}

const openQueue = () => new WriteQueue((error) => error instanceof Busy);

describe('the write queue', () => {
  it('runs jobs of any duration one at a time, in order', async () => {
    const queue = openQueue();
    const log: string[] = [];
    const job = (name: string, turns: number) => async () => {
      log.push(`${name} begins`);
      for (let n = 0; n < turns; n++) await once(new Turn(), 'over');
      log.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all([queue.run(job('a', 5)), queue.run(job('b', 0)), queue.run(job('c', 2))]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(results).toEqual(['a', 'b', 'c']);
  });

  it('lets readers run between two jobs that never wait', async () => {
    const queue = openQueue();
    const log: string[] = [];
    const first = queue.run(async () => {
      log.push('a job');
      setImmediate(() => log.push('a reader'));
    });
    const second = queue.run(async () => void log.push('another job'));
    await Promise.all([first, second]);
    expect(log).toEqual(['a job', 'a reader', 'another job']);
  });

  it('lets timers fire between any number of jobs', async () => {
    const queue = openQueue();
    let hasFired = false;
    setTimeout(() => (hasFired = true), 1);
    let jobs = 0;
    const another = async (): Promise<void> => {
      if (!hasFired && ++jobs < 1_000_000) last = queue.run(another);
    };
    let last = queue.run(another);
    for (let seen; seen !== last;) await (seen = last);
    expect(hasFired).toBe(true);
  });

  it('repeats a job while the database is busy, before the jobs after it', async () => {
    const queue = openQueue();
    const log: string[] = [];
    const first = queue.run(async () => {
      log.push('a try');
      if (log.length < 3) throw new Busy();
      return log.length;
    });
    const second = queue.run(async () => void log.push('the next job'));
    expect(await first).toBe(3);
    await second;
    expect(log).toEqual(['a try', 'a try', 'a try', 'the next job']);
  });

  it('reports a timeout when the database was busy for a minute', async () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const busy = openQueue().run(async () => {
      // After the first attempt.
      if (now.mock.calls.length > 1) now.mockReturnValue(60_001);
      throw new Busy();
    });
    await expect(busy).rejects.toThrow(new TimeoutError('Other transactions locked the database for too long'));
  });

  it('rejects with any other error at once, and continues with the next job', async () => {
    const queue = openQueue();
    const mistake = new Error('a mistake');
    let tries = 0;
    const failing = queue.run(async () => {
      tries++;
      throw mistake;
    });
    const next = queue.run(async () => 'done');
    await expect(failing).rejects.toBe(mistake);
    expect(await next).toBe('done');
    expect(tries).toBe(1);
  });

  it('survives a job that throws before it returns a promise', async () => {
    const queue = openQueue();
    const failing = queue.run(() => {
      throw new Error('at once');
    });
    await expect(failing).rejects.toThrow('at once');
    expect(await queue.run(async () => 'done')).toBe('done');
  });

  it('writes after another connection releases the file', async () => {
    const { path, connection } = await openFile();
    const other = new Database(path);
    onTestFinished(() => void other.close());
    let runs = 0;

    other.exec('BEGIN IMMEDIATE');
    const written = connection.write('c', (tx) => {
      runs++;
      return tx.run(connection.sql.insertRows('chats', [chat]));
    });
    // By then it has not got the lock, and waits to try again. A transaction that has not begun runs nothing.
    await once(new Turn(), 'over');
    expect(runs).toBe(0);
    other.exec('COMMIT');
    await written;

    expect(runs).toBe(1);
    expect(other.prepare('SELECT "id" FROM chats').all()).toEqual([{ id: 'c' }]);
  });
});

describe('a SQLite file', () => {
  it('waits without blocking the thread', async () => {
    const { connection } = await openFile();
    const timeout = (db: Queryable) => db.rows(sql`PRAGMA busy_timeout`);
    expect([await connection.read(timeout), await connection.write('c', timeout)]).toEqual([
      [{ timeout: 0 }],
      [{ timeout: 0 }],
    ]);
  });

  it('is read again after it was busy', async () => {
    const { connection } = await openFile();
    let attempts = 0;
    const read = connection.read(async () => {
      if (++attempts < 3)
        throw Object.assign(new Error('the log is being recovered'), { code: 'SQLITE_BUSY_RECOVERY' });
      return attempts;
    });
    expect(await read).toBe(3);
  });
});

/** Opens a new file. */
async function openFile() {
  const path = temporaryFile();
  await migrateSqlite(path);
  const connection = await openSqliteFile(path, {});
  onTestFinished(() => connection.close());
  return { path, connection };
}

/** Settles after a turn of the event loop. */
class Turn extends EventTarget {
  constructor() {
    super();
    setImmediate(() => this.dispatchEvent(new Event('over')));
  }
}
