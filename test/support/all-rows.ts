import type { Connection } from '../../src/database/opening/connection.js';
import { connect } from '../../src/database/opening/open.js';

export type AllRows = Awaited<ReturnType<typeof allRows>>;

/** Every row of every table of conversations, in an order of its own. */
export async function allRows({ read }: Connection) {
  return {
    chats: await read((client) => client.chat.findMany({ orderBy: { id: 'asc' } })),
    messages: await read((client) => client.message.findMany({ orderBy: { id: 'asc' } })),
    branches: await read((client) => client.branch.findMany({ orderBy: { id: 'asc' } })),
    checkpoints: await read((client) => client.checkpoint.findMany({ orderBy: { id: 'asc' } })),
    events: await read((client) => client.chatEvent.findMany({ orderBy: [{ chatId: 'asc' }, { seq: 'asc' }] })),
    texts: await read((client) => client.messageText.findMany({ orderBy: { messageId: 'asc' } })),
  };
}

/** Those of a database that somebody else has open. Of one in memory they cannot be seen. */
export async function allRowsAt(url: string): Promise<AllRows> {
  const { connection } = await connect(url, { migrate: false });
  const rows = await allRows(connection);
  await connection.close();
  return rows;
}
