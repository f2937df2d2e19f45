/** Messages whose id is looked up when they are saved. */
import type { ContextFragment } from '../fragments/fragment.js';

/** The same in every copy of the library: a program that has the server's, too, has two. */
export const LAZY_ID = Symbol.for('@parley/context/lazy-id');

export interface LazyConfig {
  /** The newest assistant message that is pending before it, else the newest on the branch, else a new one. */
  type: 'last-assistant';
  content: string;
}

export interface LazyFragment extends ContextFragment {
  [LAZY_ID]: LazyConfig;
}

/** Whether a fragment's id is looked up when it is saved. */
export function isLazyFragment(fragment: ContextFragment): fragment is LazyFragment {
  return LAZY_ID in fragment;
}

/**
 * Another text for the newest assistant message, whose id nobody has to know: for an agent that corrects itself. The
 * message as it was stays in the graph, and the new version goes beside it. Where there is none yet, this is the first.
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
