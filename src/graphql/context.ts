import type { Viewer } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { ConversationStore } from '../conversation/store.js';
import { Loaders } from './loaders.js';
import type { PlainLists } from './plain-lists.js';

/** What every resolver works with: made anew for each operation. A plain object, because the server copies it. */
export interface Context {
  readonly viewer: Viewer;
  readonly store: ConversationStore;
  readonly reads: ConversationReads;
  /** Reads in batches, and each thing once. */
  loaders: Loaders;
  /** Where long lists may be written, when whoever sends the answer knows how to. */
  plainLists?: PlainLists;
}

export function createContext(viewer: Viewer, store: ConversationStore, reads: ConversationReads): Context {
  return { viewer, store, reads, loaders: new Loaders(reads) };
}

/** Runs a change; what was loaded before it is forgotten, so that its payload shows the state after it. */
export async function mutate<T>(context: Context, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } finally {
    context.loaders = new Loaders(context.reads);
  }
}
