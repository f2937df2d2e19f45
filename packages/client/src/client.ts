/** What the package has for everybody: `@parley/client`. */
export { createParley, type Parley, type ParleyOptions } from './connection/create-parley.js';
export {
  ClosedError,
  DraftOffsetError,
  HeadConflictError,
  ParleyError,
  RefusedError,
  RequestError,
  UnauthorizedError,
  UnreachableError,
} from './connection/errors.js';
export type { Draft } from './drafts/chat-drafts.js';
export type { DraftWriter } from './drafts/draft-writer.js';
export type { Asked, Writing } from './drafts/thread-drafts.js';
export type { Followed } from './connection/live-socket.js';
export { operation, type Operation } from './connection/operation.js';
export type { RetryDelay } from './connection/pause.js';
export type { Succeeded } from './connection/result.js';
export type { Token } from './connection/token.js';
export type * from './generated/operations.js';
export type { ChatItem, ChatListState } from './chats/chat-list.js';
export type { Branch, ChatInfo, Checkpoint } from './store/chat-record.js';
export type { Status } from './store/live-chat.js';
export type { Content, Message, SiblingInfo } from './store/message.js';
export type { InitialState } from './store/initial-state.js';
export type { Outbox, SentMessage } from './store/outbox.js';
export type { Outcome } from './store/outcome.js';
export type { Conflict, ConflictChoice, ThreadState } from './store/thread-state.js';
export { ThreadStore, type ThreadOptions } from './store/thread-store.js';
export type { ChildrenMap, TreeMessage } from './tree/tree.js';
