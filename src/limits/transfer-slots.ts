import { GraphQLError } from 'graphql';
import { OpenCounts } from './open-counts.js';

/** Concurrent requests of one kind, such as exports. Each kind has its own slots, so that no kind waits for another. */
export class TransferSlots {
  readonly #ofAUser: OpenCounts;
  readonly #ofAll: OpenCounts;

  /** @param name in errors: a plural, such as exports */
  constructor(
    private readonly name: string,
    private readonly limits: { ofAUser: number; ofAll: number },
  ) {
    this.#ofAUser = new OpenCounts(limits.ofAUser);
    this.#ofAll = new OpenCounts(limits.ofAll);
  }

  /**
   * Begins a transfer, which may last longer than an operation.
   * @returns the function that ends it
   * @throws GraphQLError with code TOO_MANY_OPERATIONS
   */
  begin(userId: string): () => void {
    const endOwn = this.#ofAUser.open(userId);
    if (endOwn === null) throw this.#tooMany('This user', this.limits.ofAUser);
    const end = this.#ofAll.open('');
    if (end !== null) {
      return () => {
        endOwn();
        end();
      };
    }
    endOwn();
    throw this.#tooMany('The server', this.limits.ofAll);
  }

  #tooMany(owner: string, limit: number): GraphQLError {
    const message = `${owner} has ${limit} ${this.name}, which is the limit: retry when one of them has ended`;
    return new GraphQLError(message, {
      extensions: { code: 'TOO_MANY_OPERATIONS', http: { status: 429, headers: { 'retry-after': '5' } } },
    });
  }
}
