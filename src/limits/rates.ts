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
  readonly countUser: Count;
  readonly countAddress: Count;

  constructor({ perUser, perAddress }: RateLimitOptions) {
    this.countUser = counterOf(perUser, 'user');
    this.countAddress = counterOf(perAddress, 'address');
  }
}

/**
 * @param operations number of operations to count, 1 by default
 * @throws GraphQLError with code RATE_LIMITED
 */
type Count = (key: string, operations?: number) => Promise<void>;

const unlimited: Count = () => Promise.resolve();

function counterOf(points: number, what: string): Count {
  if (points === 0) return unlimited;
  const counter = new RateLimiterMemory({ points, duration: PERIOD });
  return async (key, operations = 1) => {
    try {
      await counter.consume(key, operations);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new GraphQLError(
        `This ${what} has sent more than ${points} operations in ${PERIOD} seconds: retry in ${retryAfter} seconds`,
        {
          extensions: {
            code: 'RATE_LIMITED',
            retryAfter,
            http: { status: 429, headers: { 'retry-after': String(retryAfter) } },
          },
        },
      );
    }
  };
}
