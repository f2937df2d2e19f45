import type { GraphQLError } from 'graphql';
import type { Answer } from './answer.js';

/** A client's end of a subscription. After complete, fail or cutOff it is told nothing more. */
export interface Follower {
  /** Sends an answer without waiting; a client that has left too much unread is cut off. */
  push(answer: Answer): void;
  /** Settles when an answer of the past may be made, with what ends its turn once the answer has been taken. */
  begin(): Promise<() => void>;
  /** Sends an answer of the past; settles when the client has taken it, with false when there is nobody any more. */
  write(answer: Answer): Promise<boolean>;
  /** There is nothing more to come. */
  complete(): void;
  /** It cannot go on. Where the database is away, the client is to come back later. */
  fail(error: GraphQLError): void;
  /** The server stops: the client is to come back elsewhere. */
  cutOff(): void;
}
