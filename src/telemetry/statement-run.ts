/** A completed SQL statement, for observers. The text has placeholders and no values. */
export interface StatementRun {
  readonly sql: string;
  /** Whether it was part of a change, or only read. */
  readonly kind: 'change' | 'read';
  readonly durationMs: number;
  readonly hasFailed: boolean;
}
