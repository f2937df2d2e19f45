import type { LogReads } from '../conversation/log-reads.js';
import type { ChatList } from './chat-list.js';
import type { Feeds } from './feeds.js';

/** The sources of subscriptions to chats and lists of chats. */
export interface Live {
  readonly log: LogReads;
  readonly feeds: Feeds;
  readonly chatList: ChatList;
}
