// @ts-check
/**
 * What runs in a thread of SqliteThreads: one statement after the other, on a connection of its own that only reads. Plain
 * JavaScript, for a thread loads it by itself, also where the rest runs from its sources.
 */
import Database from 'better-sqlite3';
import { Tinypool } from 'tinypool';

/** @type {Database.Database | undefined} */
let database;
/** @type {Map<string, Database.Statement>} */
const prepared = new Map();
const MAX_PREPARED = 500;

/**
 * @param {{ path: string, pragmas: string[], text: string, values: unknown[] }} task
 * @returns the rows, or what the driver says; a buffer in a row is handed over and not copied
 */
export default function run({ path, pragmas, text, values }) {
  try {
    database ??= open(path, pragmas);
    const rows = /** @type {Record<string, unknown>[]} */ (prepare(database, text).all(values));
    const bytes = rows.length === 1 ? Object.values(rows[0] ?? {}).find(Buffer.isBuffer) : undefined;
    if (bytes === undefined) return { rows };
    const handedOver = { [Tinypool.valueSymbol]: { rows }, [Tinypool.transferableSymbol]: bytes.buffer };
    return Tinypool.move(/** @type {never} */ (handedOver));
  } catch (error) {
    // An error loses its code on the way to another thread.
    const { message, code } = /** @type {{ message: string, code?: unknown }} */ (error);
    return { failure: { message, code } };
  }
}

/**
 * @param {string} path
 * @param {string[]} pragmas
 */
function open(path, pragmas) {
  const opened = new Database(path, { readonly: true, fileMustExist: true });
  for (const pragma of pragmas) opened.pragma(pragma);
  return opened;
}

/**
 * @param {Database.Database} from
 * @param {string} text
 */
function prepare(from, text) {
  let statement = prepared.get(text);
  if (statement === undefined) {
    if (prepared.size === MAX_PREPARED) prepared.clear();
    statement = from.prepare(text);
    prepared.set(text, statement);
  }
  return statement;
}
