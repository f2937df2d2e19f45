/** Tells of each SQL statement, where somebody asks for it. Its values are nobody's business. */

/** How a statement went. */
export interface StatementDetails {
  /** Whether it was part of a change, which is a transaction, or only read. */
  kind: 'change' | 'read';
  durationMs: number;
  hasFailed: boolean;
}

/** Takes a statement, with placeholders for its values, when it has been answered. */
export type TellStatement = (sql: string, details: StatementDetails) => void;

/** Runs a statement, and tells of it. */
export async function observed<T>(
  tell: TellStatement | undefined,
  kind: StatementDetails['kind'],
  sql: string,
  run: () => Promise<T> | T,
): Promise<T> {
  if (tell === undefined) return run();
  const began = performance.now();
  let hasFailed = true;
  try {
    const answer = await run();
    hasFailed = false;
    return answer;
  } finally {
    tell(sql, { kind, durationMs: performance.now() - began, hasFailed });
  }
}
