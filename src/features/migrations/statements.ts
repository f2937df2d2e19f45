/** The statements of migrations for PostgreSQL. */

const PART =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|(?<end>;)|[\s\S]/g;

/**
 * Splits a script at the semicolons outside of texts, names and comments. Not for nested comments, nor for escapes with
 * backslashes.
 */
export function statementsOf(script: string): string[] {
  const statements = [''];
  for (const { 0: part, groups } of script.matchAll(PART)) {
    if (groups?.['end'] !== undefined) statements.push('');
    else statements.push(`${statements.pop() ?? ''}${groups?.['comment'] === undefined ? part : ' '}`);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

const CONCURRENT_INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY "(?<name>\w+)"/;

/** The index that a migration builds beside the writes of servers, in one statement outside of a transaction; or null. */
export function concurrentIndexOf(script: string): string | null {
  const [first = '', ...others] = statementsOf(script);
  return others.length > 0 ? null : (CONCURRENT_INDEX.exec(first)?.groups?.['name'] ?? null);
}

/** The same in a transaction, for tables without rows. */
export function inTransaction(statement: string): string {
  return statement.replace(/^(CREATE (?:UNIQUE )?INDEX) CONCURRENTLY/, '$1');
}
