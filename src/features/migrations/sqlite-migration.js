// @ts-check
/**
 * The process of a SqliteProcess: runs statements one by one. It ends with its server, without a commit. Plain JavaScript,
 * because it is started without the TypeScript loader.
 */
import Database from 'better-sqlite3';

const [path = '', lockTimeoutMs] = process.argv.slice(2);
const database = new Database(path, { timeout: Number(lockTimeoutMs), fileMustExist: true });

process.on('disconnect', () => process.exit());
process.on('message', (command) => {
  const { text, values } = /** @type {{ text: string, values?: unknown[] }} */ (command);
  try {
    process.send?.({ rows: run(text, values) });
  } catch (error) {
    process.send?.({ failure: /** @type {Error} */ (error).message });
  }
});

/**
 * @param {string} text
 * @param {unknown[] | undefined} values undefined for several statements without results
 */
function run(text, values) {
  if (values === undefined) {
    database.exec(text);
    return [];
  }
  const statement = database.prepare(text);
  if (statement.reader) return statement.all(...values);
  statement.run(...values);
  return [];
}
