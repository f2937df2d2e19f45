/** Limits the use of the server by users and addresses. Every transport asks it before it starts work. */
import { GraphQLError } from 'graphql';
import { TooSlowError } from '../conversation/errors.js';
import type { Limits } from './limits.js';
import { HEAP_BYTES } from './limits.js';
import { Memory, memoryBounds, withoutUsers } from './memory.js';
import { OpenCounts, type OpenSockets } from './open-counts.js';
import { OperationUse } from './operation-use.js';
import { RateLimits } from './rates.js';
import { FairLimiter } from '../scheduler/fair-limiter.js';

/** Concurrent answers of subscriptions: one change makes answers for all followers of a chat. */
const ANSWERS_AT_ONCE = 4;

/** Bytes from which JSON is parsed, and its operation begun, in its own turn of the event loop. */
export const LARGE_JSON_BYTES = 64 * 1024;

/** Concurrent answers of one user, so that slow answers do not block other users. */
const ANSWERS_OF_A_USER = 2;

/** Concurrent requests for whole chats and users. Each kind has its own slots, so that no kind waits for another. */
const TRANSFERS = {
  export: { ofAUser: 2, ofAll: 8 },
  erasure: { ofAUser: 2, ofAll: 8 },
  /** Incomplete bodies. */
  upload: { ofAUser: 2, ofAll: 64 },
  /** Files of messages. Browsers load the images of a thread at once. */
  fileUpload: { ofAUser: 100, ofAll: 400 },
  download: { ofAUser: 200, ofAll: 2_000 },
  /** Each call runs one operation, which has the limits of operations. */
  mcp: { ofAUser: 16, ofAll: 256 },
  /** Imports in every state: arriving, queued or running. */
  import: { ofAUser: 8, ofAll: 128 },
} as const;

export type Transfer = keyof typeof TRANSFERS;

export class Usage {
  readonly memory: Memory;
  readonly rates: RateLimits;
  readonly sockets: OpenSockets;
  readonly #operations: OpenCounts;
  readonly #transfers = {
    export: transferCounts('export'),
    erasure: transferCounts('erasure'),
    upload: transferCounts('upload'),
    fileUpload: transferCounts('fileUpload'),
    download: transferCounts('download'),
    mcp: transferCounts('mcp'),
    import: transferCounts('import'),
  };
  readonly #parsing = new FairLimiter({ concurrency: 1 });
  readonly #answers = new FairLimiter({ concurrency: ANSWERS_AT_ONCE, perUser: ANSWERS_OF_A_USER });

  /** @param options.areUsersKnown whether users have memory bounds: in development mode all clients are one user */
  constructor(
    readonly limits: Limits,
    { areUsersKnown }: { areUsersKnown: boolean },
  ) {
    const bounds = memoryBounds(HEAP_BYTES, limits.maxContentBytes);
    this.memory = new Memory(areUsersKnown ? bounds : withoutUsers(bounds));
    this.rates = new RateLimits({ perUser: limits.rateLimitPerUser, perAddress: limits.rateLimitPerAddress });
    this.sockets = {
      users: new OpenCounts(limits.maxSocketsPerUser),
      addresses: new OpenCounts(limits.maxSocketsPerAddress),
    };
    this.#operations = new OpenCounts(limits.maxOperationsPerUser);
  }

  /**
   * Begins a query or a mutation, whose end releases its resources.
   * @throws GraphQLError with code TOO_MANY_OPERATIONS
   */
  begin(userId: string, { isMutation }: { isMutation: boolean }): OperationUse {
    const close = this.#operations.open(userId);
    if (close === null) throw tooManyOperations(this.limits.maxOperationsPerUser);
    const { queryTimeoutMs, mutationTimeoutMs } = this.limits;
    return this.#use(
      userId,
      { timeoutMs: isMutation ? mutationTimeoutMs : queryTimeoutMs, isQuery: !isMutation },
      close,
    );
  }

  /**
   * Begins a transfer, which may last longer than an operation.
   * @returns the function that ends it
   * @throws GraphQLError with code TOO_MANY_OPERATIONS
   */
  beginTransfer(kind: Transfer, userId: string): () => void {
    const { ofAUser, ofAll } = TRANSFERS[kind];
    const endOwn = this.#transfers[kind].ofAUser.open(userId);
    if (endOwn === null) throw tooManyTransfers('This user', ofAUser, kind);
    const end = this.#transfers[kind].all.open('');
    if (end !== null) {
      return () => {
        endOwn();
        end();
      };
    }
    endOwn();
    throw tooManyTransfers('The server', ofAll, kind);
  }

  /**
   * Settles when JSON of this size may be parsed: large JSON waits for a turn of the event loop without other large
   * JSON.
   */
  async beginParsing(userId: string, bytes: number): Promise<void> {
    if (bytes < LARGE_JSON_BYTES) return;
    const end = await this.#parsing.begin({ userId });
    setImmediate(end);
  }

  /**
   * Begins an answer of a subscription, limited like a query, when it is the user's turn.
   * @param leaving aborted when the client disconnects, or when the answer cannot begin in the time of a query
   * @param operations the cost of earlier answers, which counts for the rate of the user
   * @throws the reason of the signal; TooSlowError beyond the rate
   */
  async beginAnswer(userId: string, leaving: AbortController, operations: number): Promise<OperationUse> {
    const { queryTimeoutMs: timeoutMs } = this.limits;
    if (operations > 0) await this.#countAnswers(userId, operations);
    const late = () =>
      leaving.abort(new TooSlowError(`The answer waited longer than ${timeoutMs} ms: continue with after`));
    const timer = setTimeout(late, timeoutMs);
    try {
      const end = await this.#answers.begin({ userId, signal: leaving.signal });
      return this.#use(userId, { timeoutMs, isQuery: false }, end);
    } finally {
      clearTimeout(timer);
    }
  }

  async #countAnswers(userId: string, operations: number): Promise<void> {
    try {
      await this.rates.countUser(userId, operations);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw new TooSlowError(`${error.message}, and continue with after`);
    }
  }

  #use(userId: string, kind: { timeoutMs: number; isQuery: boolean }, onEnd: () => void): OperationUse {
    const content = this.memory.hold('content', userId);
    return new OperationUse({ ...kind, userId, maxContentBytes: this.limits.maxContentBytes, content, onEnd });
  }
}

function tooManyOperations(limit: number): GraphQLError {
  return new GraphQLError(`Limit of ${limit} concurrent operations of this user reached: retry when one has ended`, {
    extensions: { code: 'TOO_MANY_OPERATIONS', http: { spec: true, status: 429 } },
  });
}

const TRANSFER_NAMES: Record<Transfer, string> = {
  export: 'exports',
  erasure: 'erasures',
  upload: 'unfinished uploads',
  fileUpload: 'uploads of files',
  download: 'downloads of files',
  mcp: 'MCP calls',
  import: 'imports',
};

function transferCounts(kind: Transfer) {
  const { ofAUser, ofAll } = TRANSFERS[kind];
  return { ofAUser: new OpenCounts(ofAUser), all: new OpenCounts(ofAll) };
}

function tooManyTransfers(owner: string, limit: number, kind: Transfer): GraphQLError {
  const message = `${owner} has ${limit} ${TRANSFER_NAMES[kind]}, which is the limit: retry when one of them has ended`;
  return new GraphQLError(message, {
    extensions: { code: 'TOO_MANY_OPERATIONS', http: { status: 429, headers: { 'retry-after': '5' } } },
  });
}
