/** The name of a chat's own file: its title, for readability, and its unique id. */
import { createHash } from 'node:crypto';
import type { Chat } from '../../conversation/model.js';

/** Windows treats these as devices with any extension; such a file would stay empty. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])$/i;

export function chatFileName(chat: Pick<Chat, 'id' | 'title'>, extension: string): string {
  const { title } = chat;
  const shown = (title ?? '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  // Neither part contains a dot, so that two chats never share a name.
  const first = shown.isWellFormed() && shown !== '' ? `${shown}${DEVICE.test(shown) ? '-' : ''}.` : '';
  return `${first}${ofChat(chat, extension)}`;
}

/** The stable end of the name. Some file systems ignore the case of letters. */
export function ofChat({ id }: Pick<Chat, 'id'>, extension: string): string {
  const isPlain = /^[a-z0-9_-]{1,64}$/.test(id) && !DEVICE.test(id);
  return `${isPlain ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)}.${extension}`;
}
