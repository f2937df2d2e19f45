import type { AuditCaller, AuditRecord } from '../audit.js';
import type { ContentBudget } from '../limits/content-budget.js';
import type { CopyOrigin, ForkChatRequest } from '../conversation/copy-origin.js';
import type { Viewer } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { ConversationStore } from '../conversation/store.js';
import type { Files } from '../files/files.js';
import type { Following } from '../events/following.js';
import { Loaders } from './loading/loaders.js';
import type { ObjectBudget } from './limits/object-budget.js';
import type { PlainList } from './answers/plain-lists.js';
import type { LogReads } from '../conversation/log-reads.js';
import type { ChatList } from '../events/chat-list.js';
import type { Feeds } from '../events/feeds.js';

/** The members of the context that features provide: each adds its own. */
export interface FeatureContext {
  readonly files: Files;
  /** The fork of an origin that a feature adds to forkChat; null when the request names none. At most one feature has it. */
  readonly forkOf?: (request: ForkChatRequest, context: Context) => CopyOrigin | null;
}

/** The context of every resolver, created for each operation. A plain object, because Yoga copies it. */
export interface Context extends FeatureContext {
  readonly viewer: Viewer;
  store: ConversationStore;
  reads: ConversationReads;
  readonly live: Live;
  /** Reads in batches, and each row once. */
  readonly loaders: Loaders;
  /** The end of the session, see Session; undefined where clients with several sessions share the result. */
  readonly expiresAt?: number | null;
  /** The long lists that are written as JSON text, where the transport supports it. */
  plainLists?: PlainList[];
  /** Remaining number of objects, where it is limited. */
  budget?: ObjectBudget;
  /** Remaining bytes of content, where they are limited. */
  content?: ContentBudget;
  /** Aborted when the operation has no time left. */
  signal?: AbortSignal;
  /** Memory of the variables in bytes, where it is counted. */
  variablesBytes?: number;
  /**
   * Calls back when the client disconnects, where it does not wait for the response of a request.
   * @returns a function that removes the callback
   */
  onLeave?: (leave: () => void) => () => void;
  /** Settles when the next answer of a subscription may be made, and limits it. */
  beginAnswer?: () => Promise<void>;
  /** Start and progress of a subscription that is shared by several clients. */
  readonly following?: Following;
  /** The origin of the operation for the audit log, where it is not an HTTP request. */
  caller?: AuditCaller;
  /** Records what the operation reads and changes. Undefined when the audit log is off. */
  audit?: AuditRecord;
}

/** The parts that are equal for all operations. */
export type Services = Pick<Context, 'store' | 'reads' | 'live' | keyof FeatureContext>;

export function createContext(viewer: Viewer, services: Services, following?: Following): Context {
  const context = { viewer, ...services, ...(following && { following }) };
  return renewLoaders(context, services);
}

/**
 * Clears the loaders: after a possible change, or the end of an answer. They are created at first use: there are many, and some
 * operations need none.
 */
export function renewLoaders(context: Omit<Context, 'loaders'>, from: Pick<Services, 'reads'> = context): Context {
  let loaders: Loaders | undefined;
  const get = () => (loaders ??= new Loaders(from));
  return Object.defineProperty(context, 'loaders', {
    get,
    // Yoga copies the context, and the copy gets its own loaders: see bindContext. A shared subscription uses this one.
    enumerable: context.following !== undefined,
    configurable: true,
  }) as Context;
}

/** Applies the limits of an operation, or of an answer of a subscription, to its reads and writes. */
export function bindContext(context: Context, bounded: Pick<Services, 'store' | 'reads'>): void {
  const { audit, viewer } = context;
  const within = audit?.watch(bounded, viewer) ?? bounded;
  // With their getters: most operations need one of them.
  Object.defineProperties(context, Object.getOwnPropertyDescriptors(within));
  renewLoaders(context, within);
}

/** Key of the current operation, or answer of a subscription, for WeakMaps. */
export function operationKey(context: Pick<Context, 'content'>): object {
  return context.content ?? context;
}

/** The sources of subscriptions to chats and lists of chats. */
interface Live {
  readonly log: LogReads;
  readonly feeds: Feeds;
  readonly chatList: ChatList;
}
