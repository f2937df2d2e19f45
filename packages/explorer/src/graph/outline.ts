/** The data of the graph. */
import { operation } from '@parley/client';

export interface Segment {
  firstId: string;
  lastId: string;
  parentId: string | null;
  length: number;
  /** The name of its first message. */
  depth: number;
  firstRole: string;
  firstContent: string;
  lastRole: string;
  lastContent: string;
}

export interface Outline {
  messageCount: number;
  segments: Segment[];
}

export const ReadOutline = operation<{ chat: { outline: Outline } | null }, { chatId: string }>(`
  query ReadOutline($chatId: ID!) {
    chat(id: $chatId) {
      outline {
        messageCount
        segments {
          firstId
          lastId
          parentId
          length
          depth
          firstRole
          firstContent
          lastRole
          lastContent
        }
      }
    }
  }
`);
