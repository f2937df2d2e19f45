/** The reading half of Prisma's generated client: its type, and the extension that rejects the other operations. */
import type * as runtime from '@prisma/client/runtime/client';
import type { Prisma, PrismaClient } from '../../generated/sqlite/client.js';

const MODEL_READS = [
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
] as const;
const RAW_READS = ['$queryRaw', '$queryRawUnsafe'] as const;

type ModelName = Uncapitalize<Prisma.ModelName>;
type ReadOf<Delegate> = Pick<Delegate, (typeof MODEL_READS)[number] & keyof Delegate>;

/** The operations inside a transaction. */
export type PrismaReads = { readonly [Name in ModelName]: ReadOf<PrismaClient[Name]> } & Pick<
  PrismaClient,
  (typeof RAW_READS)[number]
>;

export interface TransactionOptions {
  /** How long to wait for a connection, in milliseconds. */
  maxWait?: number;
  /** How long the transaction may take, in milliseconds. */
  timeout?: number;
  isolationLevel?: Prisma.TransactionIsolationLevel;
}

/**
 * The client that Prisma generates from prisma/schema.prisma, without the operations that write. Its types are those of SQLite's
 * schema on all databases: `BigInt` columns are bigint, and JSON is text.
 */
export type PrismaReader = PrismaReads &
  Pick<PrismaClient, '$connect' | '$disconnect'> & {
    /** Runs queries in one transaction. @returns their results, in order */
    $transaction<Queries extends Prisma.PrismaPromise<unknown>[]>(
      queries: [...Queries],
      options?: Pick<TransactionOptions, 'isolationLevel'>,
    ): Promise<runtime.Types.Utils.UnwrapTuple<Queries>>;
    /** Runs a function in one transaction. @returns its result */
    $transaction<Result>(work: (tx: PrismaReads) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  };

/** The methods of a generated client that are the same for every provider. */
export interface ExtensibleClient {
  $extends(extension: object): unknown;
}

/**
 * Extends a client so that it rejects every operation that is not a read, also inside transactions.
 * @param allowsRaw whether the database itself rejects writes in raw queries; without that, raw queries are rejected
 */
export function readOnly(client: ExtensibleClient, allowsRaw: boolean): PrismaReader {
  const allowed = new Set<string>([...MODEL_READS, ...(allowsRaw ? RAW_READS : [])]);
  return client.$extends({
    name: 'read-only',
    query: {
      async $allOperations({ model, operation, args, query }: Operation): Promise<unknown> {
        if (allowed.has(operation)) return query(args);
        throw new Error(`${model === undefined ? '' : `${model}.`}${operation} is rejected: ${reasonFor(operation)}`);
      },
    },
  }) as PrismaReader;
}

interface Operation {
  model?: string;
  operation: string;
  args: unknown;
  query(args: unknown): Promise<unknown>;
}

function reasonFor(operation: string): string {
  return RAW_READS.some((name) => name === operation)
    ? 'this database cannot restrict a session to reads, so raw queries could write'
    : 'parley/prisma only reads; change chats through the GraphQL API or createServer';
}
