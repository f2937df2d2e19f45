/** The exports of `@parley/interchange`. */
export { UnreadableError } from '../file-values.js';
export type { FileFault } from '../files/zip/embedded-files.js';
export type { MessagePart, NodeContent, Role, SourceNode } from '../source-conversation.js';
export {
  READABLE_FORMATS,
  readConversations,
  type ConversationReading,
  type ConversationTree,
  type ReadOptions,
} from '../trees/read-conversations.js';
export type { ReadReport, ReportLines } from '../trees/read-report.js';
export type { WritableTree } from '../trees/tree-chat.js';
export { WRITABLE_FORMATS, writeConversations, type WriteOptions } from '../trees/write-conversations.js';
