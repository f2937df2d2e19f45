/** Messages whose id is resolved when they are saved. */
import type { ContextFragment } from '../fragments/fragment.js';

/** The same in every copy of the library: a program that also has the server loads two. */
export const LAZY_ID = Symbol.for('@parley/context/lazy-id');

export interface LazyConfig {
  /** The newest assistant message pending before it, else the newest on the branch, else a new one. */
  type: 'last-assistant';
  content: string;
}

export interface LazyFragment extends ContextFragment {
  [LAZY_ID]: LazyConfig;
}

/** Whether a fragment's id is resolved when it is saved. */
export function isLazyFragment(fragment: ContextFragment): fragment is LazyFragment {
  return LAZY_ID in fragment;
}

/**
 * Another version of the newest assistant message, without its id: for an agent that corrects itself. The original
 * stays in the graph, and the new version is its sibling. Without an assistant message, this is the first.
 */
export function lastAssistantMessage(content: string): LazyFragment {
  return {
    name: 'assistant',
    type: 'message',
    persist: true,
    data: content,
    [LAZY_ID]: { type: 'last-assistant', content },
  };
}
