/** Reports SQL statements to an observer, without their values. */

export interface StatementDetails {
  /** Whether it was part of a transaction that writes. */
  kind: 'change' | 'read';
  durationMs: number;
  hasFailed: boolean;
}

/** Receives a completed statement, with placeholders for its values. */
export type ReportStatement = (sql: string, details: StatementDetails) => void;

export async function observed<T>(
  report: ReportStatement | undefined,
  kind: StatementDetails['kind'],
  sql: string,
  run: () => Promise<T> | T,
): Promise<T> {
  if (report === undefined) return run();
  const began = performance.now();
  let hasFailed = true;
  try {
    const answer = await run();
    hasFailed = false;
    return answer;
  } finally {
    report(sql, { kind, durationMs: performance.now() - began, hasFailed });
  }
}
