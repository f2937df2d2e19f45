import { isRecord } from '../record.js';
import type { NewAnswerData, StartedAnswer } from '../store/draft-data.js';
import { toSaveOptions, toStoredDraft, toStoredMessages } from '../store/stored-json.js';
import type { AskAll } from './graphql-client.js';
import { SAVE_AND_START_DRAFT } from './operations.js';
import { toPlace } from './positions.js';
import { toDraftData, toMessageData, type DraftRow, type MessageRow } from './rows.js';
import { payloadOf, toSaved, type Outcome, type SavedRows } from './server-calls.js';

type StartedDraft = { draft: DraftRow & { parent: { id: string; chain: MessageRow[] } } };

interface Results {
  saved: Outcome<SavedRows>;
  draft: Outcome<StartedDraft>;
}

/**
 * Saves a message, starts the draft of its answer and reads the path to it, in one request.
 * @param discard discards a draft that was started after a message that has become another version
 */
export async function saveAndStartDraft(
  askAll: AskAll,
  chatId: string,
  { message, place, draft: given }: NewAnswerData,
  discard: (id: string) => Promise<unknown>,
): Promise<StartedAnswer> {
  const options = toPlace(toSaveOptions({ onConflict: 'FORK', ...place }));
  const save = { chatId, messages: toStoredMessages([message]), ...options };
  const draft = { chatId, ...toPlace(toStoredDraft({ ...given, parentId: message.id })) };
  const results = await askAll<Results>(SAVE_AND_START_DRAFT, { save, draft });
  const saved = toSaved(payloadOf(results.saved), chatId);
  // The caller starts a refused draft again by itself.
  const started = isRecord(results.draft) && 'draft' in results.draft ? results.draft.draft : null;
  if (saved.messages[0]?.id === message.id && started !== null) {
    const path = started.parent.chain.map((each) => toMessageData(each, chatId));
    return { saved, draft: toDraftData(started, chatId), path };
  }
  // The draft was started after the message that was edited.
  if (started !== null) await discard(given.id);
  return { saved, draft: null, path: [] };
}
