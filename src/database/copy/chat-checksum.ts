/** What two databases agree on when they hold the same chat: SHA-256 over all of its rows, with every column of each. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../conversation/text/canonical-json.js';
import type { Draft } from '../../conversation/drafts/draft.js';
import { DRAFT_COLUMNS } from '../dialects/draft-statements.js';
import { chatSteps, type Rows, type Step, type Table } from './chat-steps.js';
import type { ChatState, Reading } from './chat-state.js';

type Value = string | number | boolean | null;

/** In which order the columns go in; what follows from them does not. Metadata as its value: JSONB keeps no more of it. */
const VALUES: { [T in Table]: (row: Rows[T]) => Record<Exclude<keyof Rows[T], 'messageCount' | 'parentSeq'>, Value> } =
  {
    chats: ({ id, userId, title, metadata, createdAt, updatedAt, version }) => ({
      id,
      userId,
      title,
      metadata: canonicalJson(metadata),
      createdAt,
      updatedAt,
      version,
    }),
    messages: (row) => ({
      id: row.id,
      chatId: row.chatId,
      parentId: row.parentId,
      name: row.name,
      type: row.type,
      createdAt: row.createdAt,
      depth: row.depth,
      seq: row.seq,
      siblingIndex: row.siblingIndex,
      jumpId: row.jumpId,
      preview: row.preview,
      data: row.data,
      createdBy: row.createdBy,
    }),
    branches: ({ id, chatId, name, headMessageId, isActive, createdAt, seq }) => ({
      id,
      chatId,
      name,
      headMessageId,
      isActive,
      createdAt,
      seq,
    }),
    checkpoints: ({ id, chatId, name, messageId, createdAt, seq }) => ({
      id,
      chatId,
      name,
      messageId,
      createdAt,
      seq,
    }),
    chat_events: ({ chatId, seq, type, actorId, payload, createdAt }) => ({
      chatId,
      seq,
      type,
      actorId,
      payload,
      createdAt,
    }),
    drafts: (row) => Object.fromEntries(DRAFT_COLUMNS.map((name) => [name, row[name]])) as Record<keyof Draft, Value>,
    draft_chunks: ({ draftId, startOffset, endOffset, chunks }) => ({ draftId, startOffset, endOffset, chunks }),
  };

export class ChatChecksum {
  readonly #hash = createHash('sha256');

  /** Into how many steps the rows of a table are cut makes no difference. */
  add(step: Step): void {
    // Step's table and rows go together, which the compiler cannot follow through an index.
    const values = VALUES[step.table] as (row: Step['rows'][number]) => Record<string, Value>;
    // An array of JSON is the same text for the same values alone.
    for (const row of step.rows) this.#hash.update(JSON.stringify([step.table, ...Object.values(values(row))]));
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

export async function checksumOf(from: Reading, state: ChatState): Promise<string> {
  const checksum = new ChatChecksum();
  for await (const step of chatSteps(from, state)) checksum.add(step);
  return checksum.digest();
}
