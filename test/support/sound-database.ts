import { expect } from 'vitest';
import { allRowsAt } from './all-rows.js';

/**
 * Every chat has one active branch, a log without a gap and messages numbered without one, each of them indexed, and says of those
 * that are not behind the one saved right before them where they are.
 */
export async function expectSoundDatabase(url: string): Promise<void> {
  const { chats, branches, events, messages, runs, texts } = await allRowsAt(url);
  const seqs = new Map(messages.map(({ id, seq }) => [id, seq]));
  const actives = branches.filter(({ isActive }) => isActive);
  for (const { id, version } of chats) {
    const seqsOf = (rows: { chatId: string; seq: number }[]) =>
      rows
        .filter((row) => row.chatId === id)
        .map((row) => row.seq)
        .sort((one, other) => one - other);
    const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
    expect({
      id,
      actives: seqsOf(actives).length,
      events: seqsOf(events),
      messages: seqsOf(messages),
      texts: seqsOf(texts),
      runs: runs.filter(({ chatId }) => chatId === id),
    }).toEqual({
      id,
      actives: 1,
      events: upTo(version),
      messages: upTo(seqsOf(messages).length),
      texts: upTo(seqsOf(messages).length),
      runs: messages
        .filter(({ chatId, seq }) => chatId === id && seq > 1)
        .map(({ chatId, seq, parentId }) => ({ chatId, seq, parentSeq: seqs.get(parentId ?? '') ?? null }))
        .filter(({ seq, parentSeq }) => parentSeq !== seq - 1)
        .sort((one, other) => one.seq - other.seq),
    });
  }
}
