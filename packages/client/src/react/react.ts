/** Hooks and components for React: `@parley/client/react`. */
export { ParleyProvider, useParley, type ParleyProviderProps, type ThreadView } from './provider.js';
export { useChats } from './use-chats.js';
export { useSearch, type SearchHit, type SearchOptions, type SearchState } from './use-search.js';
export {
  ChatProvider,
  MessageTreeSync,
  useDraft,
  useSiblings,
  useThread,
  useThreadState,
  type ChatProviderProps,
  type MessageTreeSyncProps,
  type Thread,
  type ThreadSource,
} from './use-thread.js';
