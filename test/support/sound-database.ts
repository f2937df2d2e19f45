import { expect } from 'vitest';
import { connect } from '../../src/database/opening/open.js';

/** Every chat has one active branch, a log without a gap and messages numbered without one, each of them indexed. */
export async function expectSoundDatabase(url: string): Promise<void> {
  const { connection } = await connect(url, { migrate: false });
  const { read } = connection;
  const chats = await read((client) => client.chat.findMany({ select: { id: true, version: true } }));
  const ofChat = { orderBy: { seq: 'asc' as const }, select: { chatId: true, seq: true } };
  const actives = await read((client) => client.branch.findMany({ where: { isActive: true }, ...ofChat }));
  const events = await read((client) => client.chatEvent.findMany(ofChat));
  const messages = await read((client) => client.message.findMany(ofChat));
  const texts = await read((client) => client.messageText.findMany(ofChat));
  await connection.close();
  for (const { id, version } of chats) {
    const seqsOf = (rows: { chatId: string; seq: number }[]) =>
      rows.filter((row) => row.chatId === id).map((row) => row.seq);
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
