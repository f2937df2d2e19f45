/** The name of a chat's own file: its title for people, and its id, which no other has. */
import { createHash } from 'node:crypto';
import type { Chat } from '../../conversation/model.js';

/** Names that Windows keeps for devices go well with what follows them. */
export function chatFileName({ id, title }: Pick<Chat, 'id' | 'title'>, extension: string): string {
  const shown = (title ?? '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const isPlain = /^[\w-]{1,64}$/.test(id);
  const own = isPlain ? id : createHash('sha256').update(id).digest('hex').slice(0, 32);
  return `${shown.isWellFormed() && shown !== '' ? `${shown}-` : ''}${own}.${extension}`;
}
