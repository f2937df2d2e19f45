/** Hooks and components for React: `@parley/client/react`. */
export { ParleyProvider, useParley, type ParleyProviderProps } from './provider.js';
export { useChats } from './use-chats.js';
export { useSearch, type SearchHit, type SearchOptions, type SearchState } from './use-search.js';
export {
  ChatProvider,
  MessageTreeSync,
  useDraft,
  useSiblings,
  useThread,
  useThreadState,
  type MessageTreeSyncProps,
  type Thread,
} from './use-thread.js';
