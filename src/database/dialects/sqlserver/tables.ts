/** The tables of one schema. */
import { raw, type Sql } from 'sql-template-tag';

export type Tables = ReturnType<typeof tablesOf>;

/** @param schema of letters, digits and _ */
export function tablesOf(schema: string) {
  const named = (name: string): Sql => raw(`[${schema}].[${name}]`);
  return {
    schema,
    named,
    chats: named('chats'),
    messages: named('messages'),
    runs: named('message_runs'),
    branches: named('branches'),
    checkpoints: named('checkpoints'),
    events: named('chat_events'),
    texts: named('message_texts'),
    deletedChats: named('deleted_chats'),
  };
}
