import { expect } from 'vitest';
import { allRowsAt } from './all-rows.js';

/** Every chat has one active branch, a log without a gap and messages numbered without one, each of them indexed. */
export async function expectSoundDatabase(url: string): Promise<void> {
  const { chats, branches, events, messages, texts } = await allRowsAt(url);
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
    }).toEqual({
      id,
      actives: 1,
      events: upTo(version),
      messages: upTo(seqsOf(messages).length),
      texts: upTo(seqsOf(messages).length),
    });
  }
}
