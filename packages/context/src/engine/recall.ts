import { invalid } from '../errors.js';
import type { ContextFragment } from '../fragments/fragment.js';
import { plainTextOf } from '../messages/plain-text.js';
import type { ContextStore } from '../store/context-store.js';
import { checkCount } from '../counts.js';
import { checkKnown } from '../store/known-fields.js';
import type { SearchResult } from '../store/store-data.js';

/** Chats of one call, each of which is searched on its own. */
const MAX_CHATS = 20;
const MAX_PASSAGES = 50;
/** Characters; of a longer text, the passage around the match is returned. */
const MAX_WHOLE_TEXT = 1_000;

export interface RecallOptions {
  /** Ids of chats to search: at most 20. @default all chats of the engine's user */
  chats?: readonly string[] | undefined;
  /** Search also chats of other users of which the engine's user is a member; not together with chats. @default false */
  includeShared?: boolean | undefined;
  /** Passages to return, 1 to 50. @default 5 */
  limit?: number | undefined;
}

/** Searches the chats of a user; see ContextEngine.recall. */
export async function recall(
  store: ContextStore,
  userId: string,
  query: string,
  options: RecallOptions = {},
): Promise<ContextFragment> {
  const { chats, includeShared, limit = 5 } = checkKnown(options, ['chats', 'includeShared', 'limit']);
  checkCount(limit, 'limit', 1, MAX_PASSAGES);
  // Arguments are unchecked when called from JavaScript.
  const isList = Array.isArray as (value: unknown) => boolean;
  if (chats !== undefined && (!isList(chats) || chats.length > MAX_CHATS)) {
    throw invalid(`chats must be a list of at most ${MAX_CHATS} ids`, 'chats');
  }
  if (chats !== undefined && includeShared === true) {
    throw invalid('includeShared cannot be given together with chats', 'includeShared');
  }
  const found =
    chats === undefined
      ? await store.searchChats(userId, query, { limit, ...(includeShared !== undefined && { includeShared }) })
      : (await Promise.all(chats.map((id) => store.searchMessages(id, query, { limit })))).flat();
  const best = found.sort((a, b) => b.rank - a.rank).slice(0, limit);
  return { name: 'recall', data: best.map(passageOf) };
}

/** A passage as fragment data, with its location. */
function passageOf({ message, snippet }: SearchResult): ContextFragment {
  const { chatId: chat, id, name: author, createdAt, data } = message;
  const whole = plainTextOf(data);
  const text = whole !== null && whole.length <= MAX_WHOLE_TEXT ? whole : plainText(snippet);
  return { name: 'passage', data: { chat, message: id, author, time: new Date(createdAt).toISOString(), text } };
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of a snippet, which is escaped HTML with <mark>. */
function plainText(snippet: string): string {
  return snippet
    .replace(/<\/?mark>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}
