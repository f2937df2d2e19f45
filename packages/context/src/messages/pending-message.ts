/** What a model is given of messages that are not saved yet, with their ids looked up. */

/** What is known of a message that may be the newest assistant one. */
export interface NamedMessage {
  id: string;
  name: string;
}

export interface PendingMessage {
  /** null for a lazy one: it is another version of the newest assistant message before it. */
  id: string | null;
  name: string;
  /** Whether it will be saved: only of such a one can another be a version. */
  persist: boolean;
  /** What a model is given, of the message under this id. */
  decode(id: string): unknown;
}

export interface DecodedMessage extends NamedMessage {
  /** What a model is given. */
  message: unknown;
  /** Whether it was lazy, and there was no message of which it could be another version. */
  isFirst: boolean;
}

/**
 * What a model is given of messages that are not saved yet. A lazy one stands for the newest assistant message before it:
 * among those that are pending, else on the branch, else a new one.
 * @param path those of the branch, root first
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
