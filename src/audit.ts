/** The record of accesses and changes: operations note them, and a feature writes them. */
import type { Viewer } from './conversation/model.js';
import type { ConversationReads } from './conversation/reads.js';
import type { ConversationStore } from './conversation/store.js';

/** The object and what happened to it, such as `chat.deleted`. */
export type AuditEvent = 'search' | `${string}.${string}`;

export type AuditResult = 'ok' | 'not_found' | 'refused' | 'failed';

export interface AuditCaller {
  readonly requestId: string | null;
  readonly address: string | null;
  /** Its span in a trace. */
  readonly parent?: { readonly traceId: string } | undefined;
  /** The path of the request, or the command. @default '/graphql' */
  readonly route?: string | undefined;
}

export interface AuditedUser {
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly accessToken?: { readonly id: string };
}

export interface AuditedAccess {
  readonly event: AuditEvent;
  readonly result: AuditResult;
  /** Ids of existing chats. */
  readonly chatIds: readonly string[];
  /** The id of the user, access token, share, file, webhook or session that the event concerns. */
  readonly target?: string | null | undefined;
  /** The root field of a mutation or subscription. */
  readonly field?: string | undefined;
}

export interface WatchedServices {
  reads: ConversationReads;
  store: ConversationStore;
}

export interface AuditRecord {
  /** Collects a read; the chats of a search are those with hits. Only a `chat.read` has no line without chats. */
  read(event: AuditEvent, chatIds: Iterable<string>): void;
  /** Notes whether the user may access an existing chat; `missed` records a refusal. */
  check(chatId: string, mayAccess: boolean): void;
  /** Records that the client named an object that does not exist or that the user may not access. */
  missed(event: AuditEvent, field?: string): void;
  /** Records a refused or failed access. @param chatIds from the client: unknown ones are left out */
  refused(access: AuditedAccess): void;
  /**
   * Records another access than a read.
   * @param isQuiet whether it has no line
   */
  done(access: Omit<AuditedAccess, 'result'>, isQuiet?: boolean): void;
  /** The same services, which record what they return. */
  watch(services: WatchedServices, viewer: Viewer): WatchedServices;
  end(): void;
}

/** Chats of an import after which they are recorded: it can have any number of them. */
export const MAX_CHATS_AT_ONCE = 100;

export interface Auditor {
  begin(user: AuditedUser, caller: AuditCaller): AuditRecord;
  /** The reason that records wait or are lost; null while they are written. */
  readonly problem: string | null;
  /** Writes the last records. Settles within seconds; never rejects. */
  close(): Promise<void>;
}
