import type { LogReads } from '../conversation/log-reads.js';
import type { Feeds } from './feeds.js';

/** What subscriptions follow chats with. */
export interface Live {
  readonly log: LogReads;
  readonly feeds: Feeds;
}
