/** The part of a feature that takes part in the changes of chats: see src/features. */
import type { Sql } from 'sql-template-tag';
import type { Chat, ChatEvent, Deletion } from '../conversation/model.js';

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
}

/** Every writer calls these: changes, imports in steps, forks and removals. */
export interface ChangeHooks {
  /** Statements of the transaction, which are sent with those of the change. */
  statements?(commit: ChatCommit): Sql[];
}

interface Hooked {
  readonly hooks?: readonly ChangeHooks[] | undefined;
}

/** The statements that features add to a change. */
export function featureStatements({ hooks = [] }: Hooked, commit: ChatCommit): Sql[] {
  return hooks.flatMap((each) => each.statements?.(commit) ?? []);
}

/** Runs the statements that features add to the deletion of a chat, or to the end of its import. */
export async function runFeatureStatements(
  connection: Hooked,
  tx: { run(statement: Sql): Promise<number> },
  commit: ChatCommit,
): Promise<void> {
  for (const each of featureStatements(connection, commit)) await tx.run(each);
}

/** The end of an import that wrote a chat without a ChatChange. */
export function importCommit(chat: Pick<Chat, 'id' | 'userId' | 'version'>, isNew: boolean): ChatCommit {
  return { chat, actorId: chat.userId, now: Date.now(), events: null, isNew };
}

export function deletionCommit({ chatId, userId, actorId, createdAt, seq }: Deletion): ChatCommit {
  const event = { chatId, seq, type: 'ChatDeleted', actorId, createdAt, payload: {} } as const;
  return { chat: { id: chatId, userId, version: seq }, actorId, now: createdAt, events: [event], isNew: false };
}
