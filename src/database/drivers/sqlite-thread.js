// @ts-check
/**
 * Runs in a worker of SqliteThreads: statements one by one on a read-only connection. Plain JavaScript, because workers
 * load it without the TypeScript loader.
 */
import Database from 'better-sqlite3';

/** @type {Database.Database | undefined} */
let database;
/** @type {Map<string, Database.Statement>} */
const prepared = new Map();
const MAX_PREPARED = 500;
const MIB = 1024 ** 2;

/**
 * @typedef {{ memory: SharedArrayBuffer | null, margin: number }} Into the buffer for the bytes of the only column: memory
 *   that is reused if it is large enough, and the free bytes at each end
 * @param {{ path: string, pragmas: string[], text: string, values: unknown[], into?: Into }} task
 * @returns the rows, or the position of the bytes, or the error of the driver
 */
export default function run({ path, pragmas, text, values, into }) {
  try {
    database ??= open(path, pragmas);
    const rows = /** @type {Record<string, unknown>[]} */ (prepare(database, text).all(values));
    const bytes = Object.values(rows[0] ?? {}).find(Buffer.isBuffer);
    return into === undefined || bytes === undefined ? { rows } : shared(bytes, into);
  } catch (error) {
    // Errors lose their code between threads.
    const { message, code } = /** @type {{ message: string, code?: unknown }} */ (error);
    return { failure: { message, code } };
  }
}

/**
 * @param {Buffer} bytes
 * @param {Into} into
 */
function shared(bytes, { memory, margin }) {
  const needed = bytes.length + 2 * margin;
  // Rounded up to MiB, so that the next result fits.
  if (memory === null || memory.byteLength < needed) memory = new SharedArrayBuffer(Math.ceil(needed / MIB) * MIB);
  bytes.copy(Buffer.from(memory), margin);
  return { memory, length: bytes.length };
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
