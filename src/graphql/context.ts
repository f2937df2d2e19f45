import type { ContentBudget } from '../limits/content-budget.js';
import type { Viewer } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { ConversationStore } from '../conversation/store.js';
import type { Live } from '../events/live.js';
import type { Following } from '../events/following.js';
import { Loaders } from './loaders.js';
import type { ObjectBudget } from './object-budget.js';
import type { PlainLists } from './plain-lists.js';

/** What every resolver works with: made anew for each operation. A plain object, because the server copies it. */
export interface Context {
  readonly viewer: Viewer;
  store: ConversationStore;
  reads: ConversationReads;
  readonly live: Live;
  /** Reads in batches, and each thing once. */
  readonly loaders: Loaders;
  /** Where long lists may be written, when whoever sends the answer knows how to. */
  plainLists?: PlainLists;
  /** How many objects it may return, where that is limited. */
  budget?: ObjectBudget;
  /** How much of them, in bytes, where that is limited. */
  content?: ContentBudget;
  /** How much memory its variables take, in bytes, where that is counted. */
  variablesBytes?: number;
  /** Has something done when nobody waits for the answer any more. @returns what takes that back */
  onLeave?: (leave: () => void) => () => void;
  /** Settles when the next answer of a subscription may be made, and bounds it. */
  beginAnswer?: () => Promise<void>;
  /** Where a subscription begins and how far it is, when somebody runs it for several clients. */
  readonly following?: Following;
}

/** What is the same for all operations. */
export type Services = Pick<Context, 'store' | 'reads' | 'live'>;

export function createContext(viewer: Viewer, services: Services, following?: Following): Context {
  const context = { viewer, ...services, ...(following && { following }) };
  return withLoaders(context, services);
}

/** Makes the loaders when they are asked for first: there are many, and some operations need none. */
function withLoaders(context: Omit<Context, 'loaders'>, from: Pick<Services, 'reads'>): Context {
  let loaders: Loaders | undefined;
  const get = () => (loaders ??= new Loaders(from, context.viewer.userId));
  return Object.defineProperty(context, 'loaders', {
    get,
    // The server copies it, and the copy has its own: see bindContext. One that is followed is run as it is.
    enumerable: context.following !== undefined,
    configurable: true,
  }) as Context;
}

/** Has an operation, or an answer of a subscription, read and write with what is bounded for it. */
export function bindContext(context: Context, within: Pick<Services, 'store' | 'reads'>): void {
  Object.defineProperties(context, {
    store: { get: () => within.store, configurable: true },
    reads: { get: () => within.reads, configurable: true },
  });
  withLoaders(context, within);
}

/** Runs a change; what was loaded before it is forgotten, so that its payload shows the state after it. */
export async function mutate<T>(context: Context, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } finally {
    forgetLoaded(context);
  }
}

/** What stands for the operation that is under way, or the answer of a subscription: whatever is kept for it hangs on that. */
export function underWay(context: Pick<Context, 'content'>): object {
  return context.content ?? context;
}

/** Has everything read anew: what was loaded may have changed. */
export function forgetLoaded(context: Context): void {
  withLoaders(context, context);
}
