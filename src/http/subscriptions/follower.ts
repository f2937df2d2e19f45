import type { GraphQLError } from 'graphql';
import type { Answer } from '../answers/answer.js';

/** A client's end of a subscription. Nothing follows complete, fail or cutOff. */
export interface Follower {
  /** Sends an answer without waiting; disconnects a client with too many unread bytes. */
  push(answer: Answer): void;
  /**
   * Settles when an answer from the past may be made, with a function that ends its turn once the client took the
   * answer. Absent where one subscription makes one answer at a time.
   */
  begin?(): Promise<() => void>;
  /** Sends an answer from the past; settles when the client took it, with false when the client left. */
  write(answer: Answer): Promise<boolean>;
  /** The subscription is complete. */
  complete(): void;
  /** The subscription cannot continue. If the database is unavailable, the client must reconnect later. */
  fail(error: GraphQLError): void;
  /** The server stops: the client must reconnect. */
  cutOff(): void;
}
