import type { Sql } from 'sql-template-tag';
import type { Queryable } from '../connection/connection.js';
import { observed, type StatementDetails, type ReportStatement } from '../connection/observed-statement.js';
import type { RecordSet, Request } from './sqlserver-pool.js';

/** Milliseconds that an aborted statement may continue: most end by themselves. */
const GRACE_MS = 250;

/** The longest NVARCHAR(n). */
const MAX_LENGTH = 4_000;

export interface QueryableOptions {
  kind: StatementDetails['kind'];
  onStatement: ReportStatement | undefined;
  /** Cancels the running statement when aborted. */
  signal?: AbortSignal | undefined;
}

/** @param request creates the request of the next statement */
export function queryableOf(request: () => Request, { kind, onStatement, signal }: QueryableOptions): Queryable {
  const ask = ({ strings, values }: Sql) => {
    const text = strings.reduce((sql, part, n) => `${sql}@P${n}${part}`);
    const made = request();
    for (const [n, value] of values.entries()) addParameter(made, `P${n + 1}`, value);
    return observed(onStatement, kind, text, () => cancelling(made, signal, () => made.query<object>(text)));
  };
  return {
    rows: async <T extends object>(statement: Sql) => withNumbers((await ask(statement)).recordset) as T[],
    run: async (statement) => (await ask(statement)).rowsAffected[0] ?? 0,
  };
}

/** Declares texts with the same length: otherwise each length is a declaration with its own plan. */
function addParameter(request: Request, name: string, value: unknown): void {
  const declared = request.input(name, value).parameters[name];
  const isShortText = value === null || (typeof value === 'string' && value.length <= MAX_LENGTH);
  if (isShortText && declared !== undefined) declared.length = MAX_LENGTH;
}

async function cancelling<T>(request: Request, signal: AbortSignal | undefined, query: () => Promise<T>): Promise<T> {
  if (signal === undefined) return query();
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => (timer = setTimeout(() => request.cancel(), GRACE_MS));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await query();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * Converts BIGINT columns in place: the driver returns them as text, and Parley's times and counts fit a double.
 * A statement without a result set has no records.
 */
function withNumbers(records: RecordSet<object> | undefined): object[] {
  if (!records) return [];
  const columns = Object.values(records.columns ?? {}).filter(({ type }) => type.declaration === 'bigint');
  for (const row of records as Record<string, unknown>[]) {
    for (const { name } of columns) if (row[name] !== null) row[name] = Number(row[name]);
  }
  return records;
}
