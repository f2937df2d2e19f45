import type { MessageContent } from '../../conversation/saving/content.js';
import type { Context } from '../context.js';

/** The contents with their long data URLs stored as files of the viewer. */
export function withStoredFiles<Item extends { content?: MessageContent | null | undefined }>(
  { files, viewer }: Pick<Context, 'files' | 'viewer'>,
  items: readonly Item[],
): Promise<Item[]> {
  return Promise.all(
    items.map(async (item) => {
      const data = item.content?.data;
      if (data == null) return item;
      return { ...item, content: { ...item.content, data: await files.moveDataUrls(viewer.userId, data) } };
    }),
  );
}
