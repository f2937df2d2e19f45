/** Limits the use of the server by users and addresses. Every transport asks it before it starts work. */
import { GraphQLError } from 'graphql';
import { TooSlowError } from '../conversation/errors.js';
import { type Limits, HEAP_BYTES } from './limits.js';
import { ContentBudget } from './content-budget.js';
import { Deadline } from './deadline.js';
import { Memory, memoryBounds, withoutUsers } from './memory.js';
import { OpenCounts, type OpenSockets } from './open-counts.js';
import type { OperationBounds } from './operation-bounds.js';
import { RateLimits } from './rates.js';
import { FairLimiter } from '../scheduler/fair-limiter.js';
import { answerTurns } from '../scheduler/work-turns.js';

/** Concurrent answers of subscriptions: one change makes answers for all followers of a chat. */
const ANSWERS_AT_ONCE = 4;

/** Bytes from which JSON is parsed, and its operation begun, in its own turn of the event loop. */
export const LARGE_JSON_BYTES = 64 * 1024;

/** Concurrent answers of one user, so that slow answers do not block other users. */
const ANSWERS_OF_A_USER = 2;

/** The resources of one operation, or of one answer of a subscription. */
export interface OperationUse extends OperationBounds {
  readonly content: ContentBudget;
  readonly deadline: Deadline;
  /** Ends the operation: nothing more is done for it. */
  end(): void;
}

export class Usage {
  readonly memory: Memory;
  readonly rates: RateLimits;
  readonly sockets: OpenSockets;
  readonly #operations: OpenCounts;
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
   * Settles when JSON of this size may be parsed, or its values checked and stored: each of both takes a turn of the
   * event loop without other large JSON.
   */
  async beginLarge(userId: string, bytes: number): Promise<void> {
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

  #use(
    userId: string,
    { timeoutMs, isQuery }: { timeoutMs: number; isQuery: boolean },
    onEnd: () => void,
  ): OperationUse {
    const content = new ContentBudget(this.limits.maxContentBytes, this.memory.hold('content', userId), isQuery);
    const deadline = new Deadline(timeoutMs);
    const end = () => {
      deadline.end();
      content.end();
      answerTurns.end(userId, content);
      onEnd();
    };
    return { caller: { userId, signal: deadline.signal }, content, deadline, isQuery, end };
  }
}

function tooManyOperations(limit: number): GraphQLError {
  return new GraphQLError(`Limit of ${limit} concurrent operations of this user reached: retry when one has ended`, {
    extensions: { code: 'TOO_MANY_OPERATIONS', http: { spec: true, status: 429 } },
  });
}
