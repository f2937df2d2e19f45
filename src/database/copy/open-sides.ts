/** The two databases of a copy, open. */
import { existsSync, statSync } from 'node:fs';
import type { DatabaseUrl } from '../opening/database-url.js';
import { parseDatabaseUrl } from '../opening/database-url.js';
import { connect } from '../opening/open.js';
import { sideOf, type Side } from './side.js';

export interface Sides {
  /** Is read, and not changed in any way. */
  source: Side;
  /** Is brought up to date, and made where there is none. */
  target: Side;
  close(): Promise<void>;
}

/**
 * @param from the URL of a database that is up to date
 * @throws Error of one line, without passwords: one of them cannot be used, or both are one
 */
export async function openSides(from: string, to: string): Promise<Sides> {
  const [fromUrl, toUrl] = [parseDatabaseUrl(from), parseDatabaseUrl(to)];
  if (fromUrl.provider === 'sqlite' && !existsSync(fromUrl.path)) {
    throw new Error(`Cannot use the database ${fromUrl.shown}: there is no such file`);
  }
  const open: Side[] = [];
  const close = async () => void (await Promise.all(open.map((side) => side.close())));
  try {
    const source = sideOf((await connect(from, { migrate: false, isReadOnly: true })).connection, fromUrl.shown);
    open.push(source);
    const target = sideOf((await connect(to, { migrate: true })).connection, toUrl.shown);
    open.push(target);
    if ((await identity(fromUrl, source)) === (await identity(toUrl, target))) {
      throw new Error(`${toUrl.shown} is the database that is to be copied itself`);
    }
    return { source, target, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Something that no other database has, and that is the same whichever URL leads to it. */
async function identity({ provider }: DatabaseUrl, { sql, read }: Side): Promise<string> {
  const [row] = await read((db) => db.rows<{ identity: string }>(sql.identity()));
  if (row === undefined) throw new Error('a database without an identity');
  if (provider !== 'sqlite') return `${provider} ${row.identity}`;
  // A file may have several names.
  const { dev, ino } = statSync(row.identity, { bigint: true });
  return `${provider} ${dev} ${ino}`;
}
