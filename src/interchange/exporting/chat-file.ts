/** The name of a chat's own file: its title for people, and its id, which no other has. */
import { createHash } from 'node:crypto';
import type { Chat } from '../../conversation/model.js';

/** What Windows takes for a device before any dot: whatever follows, nothing would be in a file. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])$/i;

export function chatFileName(chat: Pick<Chat, 'id' | 'title'>, extension: string): string {
  const { title } = chat;
  const shown = (title ?? '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  // Neither part has a dot: no two chats have one name.
  const first = shown.isWellFormed() && shown !== '' ? `${shown}${DEVICE.test(shown) ? '-' : ''}.` : '';
  return `${first}${ofChat(chat, extension)}`;
}

/** How the name ends, whatever the title. Some file systems do not tell "a" and "A" apart. */
export function ofChat({ id }: Pick<Chat, 'id'>, extension: string): string {
  const isPlain = /^[a-z0-9_-]{1,64}$/.test(id) && !DEVICE.test(id);
  return `${isPlain ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)}.${extension}`;
}
