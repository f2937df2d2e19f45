/**
 * A row of a chat by its id: the key of every lookup below a chat. Stored ids are not trusted, so a lookup returns only
 * rows of that chat.
 */
export interface ChatScoped {
  readonly chatId: string;
  readonly id: string;
}

/** A string key for maps and caches, distinct for distinct keys. */
export function scopeKey({ chatId, id }: ChatScoped): string {
  // The length separates the two ids; JSON would be several times slower.
  return `${chatId.length} ${chatId}${id}`;
}
