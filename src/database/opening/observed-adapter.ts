/**
 * Tells of each SQL statement, around the driver: Prisma's own log would write out the values of every one of them, which
 * takes as long as the statement, and nobody is to see them.
 */

/** How a statement went. */
export interface StatementDetails {
  /** Whether it was part of a change, which is a transaction, or only read. */
  kind: 'change' | 'read';
  durationMs: number;
  hasFailed: boolean;
}

/** Takes a statement, with placeholders for its values, when it has been answered. */
export type TellStatement = (sql: string, details: StatementDetails) => void;

type Ask = (query: { sql: string }) => Promise<unknown>;

interface Queryable {
  queryRaw: Ask;
  executeRaw: Ask;
  startTransaction?: (isolationLevel?: unknown) => Promise<Queryable>;
}

/** What Prisma connects by. */
interface AdapterFactory {
  connect: () => Promise<Queryable>;
}

/** Of transactions, and settings of the connection: no part of anybody's operation. */
const CONTROL = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SAVE|SET|PRAGMA)\b/;

/** @param factory of any of Prisma's driver adapters */
export function observedAdapter(factory: object, tell: TellStatement): object {
  return instead(factory as AdapterFactory, {
    connect: async () => observed(await (factory as AdapterFactory).connect(), 'read', tell),
  });
}

function observed<T extends Queryable>(target: T, kind: StatementDetails['kind'], tell: TellStatement): T {
  const timed = async (query: { sql: string }, ask: Ask) => {
    const began = performance.now();
    let hasFailed = true;
    try {
      const answer = await ask.call(target, query);
      hasFailed = false;
      return answer;
    } finally {
      if (!CONTROL.test(query.sql)) tell(query.sql, { kind, durationMs: performance.now() - began, hasFailed });
    }
  };
  const { startTransaction } = target;
  return instead<Queryable>(target, {
    queryRaw: (query) => timed(query, target.queryRaw),
    executeRaw: (query) => timed(query, target.executeRaw),
    ...(startTransaction && {
      startTransaction: async (level) => observed(await startTransaction.call(target, level), 'change', tell),
    }),
  }) as T;
}

/** An object with some methods of another's replaced; all else is the other's own. */
function instead<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof T];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
