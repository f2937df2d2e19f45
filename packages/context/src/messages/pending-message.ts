/** Decodes unsaved messages for a model, and resolves their ids. */

/** A message that may be the newest assistant message. */
export interface NamedMessage {
  id: string;
  name: string;
}

export interface PendingMessage {
  /** null for a lazy one: another version of the newest assistant message before it. */
  id: string | null;
  name: string;
  /** Whether it will be saved: only a saved message can have another version. */
  persist: boolean;
  /** The message with this id, for a model. */
  decode(id: string): unknown;
}

export interface DecodedMessage extends NamedMessage {
  /** The form for a model. */
  message: unknown;
  /** Whether it is lazy, and no message exists of which it could be another version. */
  isFirst: boolean;
}

/**
 * Decodes unsaved messages. A lazy one replaces the newest assistant message before it: a pending one, else one of the
 * branch, else it is new.
 * @param path the messages of the branch, root first
 */
export function decodePending(path: readonly NamedMessage[], pending: readonly PendingMessage[]): DecodedMessage[] {
  let newest = path.findLast(isAssistant)?.id;
  return pending.map((each) => {
    const isFirst = each.id === null && newest === undefined;
    const id = each.id ?? newest ?? crypto.randomUUID();
    if (isAssistant(each) && each.persist) newest = id;
    return { id, name: each.name, message: each.decode(id), isFirst };
  });
}

function isAssistant({ name }: { name: string }): boolean {
  return name === 'assistant';
}
