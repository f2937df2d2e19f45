/**
 * A row of a chat by its id: the key of every lookup below a chat. An id that a stored row names proves nothing by itself, so
 * a lookup returns a row only when that row belongs to the chat.
 */
export interface ChatScoped {
  readonly chatId: string;
  readonly id: string;
}

/** A text that is the same for equal keys only, for maps and caches. */
export function scopeKey({ chatId, id }: ChatScoped): string {
  // The length says where the one ends; JSON takes several times as long.
  return `${chatId.length} ${chatId}${id}`;
}
