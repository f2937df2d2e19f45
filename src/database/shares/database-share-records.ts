import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { Chat } from '../../conversation/model.js';
import type { Share, ShareRecords } from '../../conversation/shares/share-records.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../opening/connection.js';
import { toChat, toShare, type ShareRow } from '../reading/rows.js';

export class DatabaseShareRecords implements ShareRecords {
  constructor(private readonly connection: Connection) {}

  add(
    row: Row<'shares'>,
    { mayShare, limit }: Parameters<ShareRecords['add']>[1],
  ): Promise<{ share: Share } | 'missing' | 'full'> {
    const { sql, write } = this.connection;
    return write(row.chatId, async (tx) => {
      const [chat] = await tx.rows<Chat>(sql.lockChat(row.chatId));
      if (chat === undefined || !mayShare(toChat(chat, sql))) return 'missing';
      const others = await tx.rows<ShareRow>(sql.sharesOf([row.chatId]));
      if (others.length >= limit) return 'full';
      const newest = others.reduce((time, { createdAt }) => Math.max(time, createdAt), 0);
      // Their positions in lists.
      const { tokenHash, ...share } = { ...row, createdAt: Math.max(row.createdAt, newest + 1) };
      await tx.run(sql.insertShare({ ...share, tokenHash }));
      return { share };
    });
  }

  async byId(id: string): Promise<Share | null> {
    const { sql, read } = this.connection;
    const [row] = await read((db) => db.rows<ShareRow>(sql.shareById(id)));
    return row === undefined ? null : toShare(row);
  }

  async remove(share: ChatScoped): Promise<boolean> {
    const { sql, write } = this.connection;
    return (await write(`share ${share.id}`, (tx) => tx.run(sql.deleteShare(share)))) > 0;
  }
}
