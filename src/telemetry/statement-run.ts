/** What is told of an SQL statement when it has been answered. Values are no part of it: the text has placeholders. */
export interface StatementRun {
  readonly sql: string;
  /** Whether it was part of a change, or only read. */
  readonly kind: 'change' | 'read';
  readonly durationMs: number;
  readonly hasFailed: boolean;
}
