/** An attack on a server, and the accepted answers. */
import type { Headers } from '../users.js';

export interface Target {
  /** The URL of GraphQL. */
  url: string;
  /** A forwarded address that no other client has. */
  address: Headers;
  /** The address and the token of a user with a chat named mallory. */
  user: Headers;
  /** The user with large chats (see seed.ts), and other users, who share addresses. */
  owner: Headers;
  people: readonly Headers[];
}

export interface Attack {
  name: string;
  /** Runs the attack. @returns the result: an HTTP status, a close code, or a text */
  make(target: Target): Promise<number | string>;
  expected: readonly (number | string)[];
}
