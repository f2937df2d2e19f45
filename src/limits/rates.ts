/** Rate limits of users and addresses. */
import { GraphQLError } from 'graphql';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Seconds of the counting period. */
const PERIOD = 60;

export interface RateLimitOptions {
  /** Operations per minute; 0 for no limit. */
  perUser: number;
  perAddress: number;
}

/** Counts in this process: each of several servers allows the full rate. */
export class RateLimits {
  readonly #users: RateLimiterMemory | null;
  readonly #addresses: RateLimiterMemory | null;

  constructor({ perUser, perAddress }: RateLimitOptions) {
    this.#users = limiter(perUser);
    this.#addresses = limiter(perAddress);
  }

  /**
   * @param operations number of operations to count
   * @throws GraphQLError with code RATE_LIMITED
   */
  async countUser(userId: string, operations = 1): Promise<void> {
    await count(this.#users, userId, 'user', operations);
  }

  /** @throws GraphQLError with code RATE_LIMITED */
  async countAddress(address: string): Promise<void> {
    await count(this.#addresses, address, 'address');
  }
}

function limiter(points: number): RateLimiterMemory | null {
  return points === 0 ? null : new RateLimiterMemory({ points, duration: PERIOD });
}

async function count(counter: RateLimiterMemory | null, key: string, what: string, operations = 1): Promise<void> {
  if (counter === null) return;
  try {
    await counter.consume(key, operations);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw new GraphQLError(
      `This ${what} has sent more than ${counter.points} operations in ${PERIOD} seconds: retry in ${retryAfter} seconds`,
      {
        extensions: {
          code: 'RATE_LIMITED',
          retryAfter,
          http: { status: 429, headers: { 'retry-after': String(retryAfter) } },
        },
      },
    );
  }
}
