/** The part of a feature that takes part in the changes of chats: see src/features. */
import { join, raw, type Sql } from 'sql-template-tag';
import type { ChatChange } from '../conversation/change.js';
import type { Chat, ChatEvent, Deletion, PlacedMessage } from '../conversation/model.js';
import type { FeatureReads } from '../conversation/reads.js';

/** A change of a chat, in the transaction that commits it. */
export interface ChatCommit {
  /** After the change. The version of a deleted chat is that of its deletion. */
  readonly chat: Pick<Chat, 'id' | 'userId' | 'version'>;
  readonly actorId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Null for the end of an import, which wrote any number of them. */
  readonly events: readonly ChatEvent[] | null;
  readonly isNew: boolean;
  /** Null unless the chat is transferred. */
  readonly newOwnerId: string | null;
}

/** Throws a RefusalError when so many bytes of the user are not accepted. */
export type CheckBytes = (bytes: number) => void;

/**
 * A check needs something that must be read outside the transaction: the change runs again after it. Each key is prepared
 * once for a change.
 */
export class UnpreparedError extends Error {
  constructor(
    readonly key: string,
    readonly prepare: () => Promise<unknown>,
  ) {
    super(`A check of a change lacks ${key}`);
  }
}

/** Writers call these: changes, imports in steps, forks, removals, and uploads of files. A change of a part alone calls none. */
export interface ChangeHooks {
  /**
   * Before rows of a user are written other than by a change: a chat, an import, a fork or a file.
   * @param bytes of a file
   * @returns a check of more bytes, as of now
   * @throws RefusalError
   */
  admit?(userId: string, bytes?: number): Promise<CheckBytes>;
  /**
   * Within the transaction of a change, after its rule.
   * @param before the chat as it is stored, or as it begins
   * @param prepared the keys of the UnpreparedErrors of this change
   * @throws RuleError, UnpreparedError
   */
  check?(change: ChatChange, before: Chat, tx: Writes, prepared: ReadonlySet<string>): Promise<void> | undefined;
  /**
   * After the commit of a change.
   * @param before null for a new chat
   */
  committed?(change: ChatChange, before: Chat | null): void;
  /** After rows of a user were written other than by a change. */
  stored?(userId: string): void;
  /** Statements of the transaction, which are sent with those of the change. */
  statements?(commit: ChatCommit): Sql[];
  /** Statements after those of a change, because changes of all chats of the owner lock the same rows. */
  lastStatements?(change: ChatChange): Sql[];
  /** Statements for new messages, which are sent with those that write them. Copies of chats have all their rows. */
  messageStatements?(messages: readonly PlacedMessage[]): Sql[];
  /**
   * When a user becomes the owner of messages, in the transaction of a transfer, or in the last one of a fork.
   * @param chat with its new owner
   * @throws InvalidInputError
   */
  takeOver?(chat: Pick<Chat, 'id' | 'userId'>, by: 'transfer' | 'fork', now: number, tx: Writes): Promise<void>;
  /** A statement of one row { bytes }, which a user stores besides chats. */
  storedBytes?(userId: string): Sql;
  /** Statements before the rows of an erased user are removed. */
  erase?(userId: string): Sql[];
  /**
   * Before a chat is hidden or removed, under its lock. A deleted chat is removed later, which is checked again.
   * @throws RefusalError
   */
  mayRemove?(chat: Pick<Chat, 'id' | 'userId'>, tx: Rows): Promise<void>;
  /**
   * Keeps a chat hidden that is deleted, in the transaction of its deletion. At most one feature has it: without it, the chat is
   * removed at once.
   * @returns the time until which the chat can be restored, in milliseconds since 1970
   */
  hide?(deletion: Deletion, tx: Writes): Promise<number>;
  /**
   * Before the erasure of a user, and again in its first transaction.
   * @param tx null before the transaction
   * @throws RefusalError
   */
  mayErase?(userId: string, tx: Rows | null): Promise<void>;
  /** The condition that a deleted chat stays after its time, for its row `i` of chat_imports. */
  readonly isKept?: Sql;
  /** Its reads of an operation, within the limits of that. */
  reads?(db: CountedRows): Partial<FeatureReads>;
}

export interface Rows {
  /** @param expected the approximate number of rows, for reads of an operation */
  rows<T extends object>(statement: Sql, expected?: number): Promise<T[]>;
}

/** Rows within the limits of an operation: see Reader. */
export interface CountedRows extends Rows {
  take(bytes: number): void;
  readonly chatsAtOnce: number;
}

interface Form {
  readonly lists: { expect(chat: ChatCommit['chat']): Promise<void> } | undefined;
}

export interface Writes extends Rows {
  run(statement: Sql): Promise<number>;
}

interface Hooked {
  readonly scope: { readonly hooks: readonly ChangeHooks[]; readonly form?: Form | undefined };
}

export function withHooks<C extends Hooked>(connection: C, hooks: readonly ChangeHooks[]): C {
  return { ...connection, scope: { ...connection.scope, hooks } };
}

export function featureStatements({ scope: { hooks } }: Hooked, commit: ChatCommit): Sql[] {
  const statements: Sql[] = [];
  for (const each of hooks) statements.push(...(each.statements?.(commit) ?? []));
  return statements;
}

/** Runs the statements that features add to the deletion of a chat, or to the end of its import or fork. */
export async function runFeatureStatements(connection: Hooked, tx: Writes, commit: ChatCommit): Promise<void> {
  // Lists do not find a chat that no change has written.
  if (commit.isNew || commit.events === null) await connection.scope.form?.lists?.expect(commit.chat);
  for (const each of featureStatements(connection, commit)) await tx.run(each);
}

/** The end of an import that wrote a chat without a ChatChange. */
export function importCommit(chat: Pick<Chat, 'id' | 'userId' | 'version'>, isNew: boolean): ChatCommit {
  return { chat, actorId: chat.userId, now: Date.now(), events: null, isNew, newOwnerId: null };
}

/** Admits rows of a user: see ChangeHooks. */
export async function admit({ scope: { hooks } }: Hooked, userId: string, bytes?: number): Promise<CheckBytes> {
  const checks: CheckBytes[] = [];
  for (const each of hooks) if (each.admit !== undefined) checks.push(await each.admit(userId, bytes));
  return (more) => checks.forEach((check) => check(more));
}

/** Every removal calls it in its transaction, after it has locked the chat: see ChangeHooks. */
export async function requireRemovable(
  { scope: { hooks } }: Hooked,
  chat: Pick<Chat, 'id' | 'userId'>,
  tx: Rows,
): Promise<void> {
  for (const { mayRemove } of hooks) if (mayRemove !== undefined) await mayRemove(chat, tx);
}

/** The condition that a feature keeps a deleted chat: see ChangeHooks. */
export function isKept({ hooks }: Hooked['scope']): Sql {
  const conditions = hooks.flatMap((each) => each.isKept ?? []);
  return conditions.length === 0 ? raw('1 = 0') : join(conditions, ' OR ', '(', ')');
}

export function noteCommit({ scope: { hooks } }: Hooked, change: ChatChange, before: Chat | null): void {
  for (const each of hooks) each.committed?.(change, before);
}

export function noteStored({ scope: { hooks } }: Hooked, userId: string): void {
  for (const each of hooks) each.stored?.(userId);
}
