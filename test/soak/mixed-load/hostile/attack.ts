/** Something that nobody should do to a server, and how it may answer. */
import type { Headers } from '../people.js';

export interface Target {
  /** Where GraphQL is served. */
  url: string;
  /** An address that nobody else has, as a proxy tells it. */
  address: Headers;
  /** The address and the token of a user who has a chat, called mallory. */
  user: Headers;
  /** Those of the user who has large chats (see seed.ts), and of some other users, who share some addresses. */
  owner: Headers;
  people: readonly Headers[];
}

export interface Attack {
  name: string;
  /** Makes it, and answers what came of it: an HTTP status, a close code, or words of its own. */
  make(target: Target): Promise<number | string>;
  expected: readonly (number | string)[];
}
