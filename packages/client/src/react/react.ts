/** Hooks and components for React: `@parley/client/react`. */
export { ParleyProvider, useParley, type ParleyProviderProps, type ThreadView } from './provider.js';
export { useChats } from './use-chats.js';
export * from './use-search.js';
export * from './use-thread.js';
