/** A whole file into the store, conversation by conversation. */
import { isJsonObject } from '../conversation/merge-patch.js';
import type { ConversationStore } from '../conversation/store.js';
import { isChatGpt, readChatGpt } from './chatgpt.js';
import { importConversation } from './import-conversation.js';
import { ImportReport } from './import-report.js';
import { findValues } from './json-values.js';
import { isOasst, readOasst } from './oasst.js';
import type { SourceConversation } from './source-conversation.js';
import type { SourceFile } from './source-text.js';
import { makeStorable } from './storable-text.js';
import { UnreadableError } from './unreadable.js';

/**
 * Imports every conversation that can be read, each in a transaction of its own. What cannot be read is in the report.
 *
 * @param userId the owner of the chats
 * @param onProgress called after each conversation
 */
export async function importFile(
  store: ConversationStore,
  userId: string,
  file: SourceFile,
  onProgress: () => void = () => {},
): Promise<ImportReport> {
  const report = new ImportReport();
  for (const { name, bytes } of file.texts) {
    const inText = name === null ? '' : ` of ${name}`;
    try {
      for await (const found of findValues(bytes())) {
        if ('fault' in found) report.failures.add(`${found.place}${inText}: ${found.fault}`);
        else await importValue(store, userId, found.value, `${found.place}${inText}`, report);
        onProgress();
      }
    } catch (error) {
      report.failures.add(`${name ?? 'the file'}: ${reason(error)}`);
    }
  }
  return report;
}

async function importValue(
  store: ConversationStore,
  userId: string,
  raw: unknown,
  place: string,
  report: ImportReport,
): Promise<void> {
  const { value, changed } = makeStorable(raw);
  const where = place + titleOf(value);
  try {
    const conversation = readConversation(value);
    const outcome = await importConversation(store, userId, conversation);
    report.add(outcome);
    report.textsChanged += changed;
    for (const warning of conversation.warnings) report.warnings.add(`${where}: ${warning}`);
    if (outcome.originalsLeftOut > 0) {
      report.warnings.add(
        `${where}: ${outcome.originalsLeftOut} of its messages were too large to keep their raw original`,
      );
    }
  } catch (error) {
    // Whatever went wrong with this one, the others may be read.
    report.failures.add(`${where}: ${reason(error)}`);
  }
}

/** @throws UnreadableError */
function readConversation(value: unknown): SourceConversation {
  if (isJsonObject(value)) {
    if (isChatGpt(value)) return readChatGpt(value);
    if (isOasst(value)) return readOasst(value);
  }
  throw new UnreadableError(
    'It is neither a ChatGPT conversation, which has a mapping, nor an OASST tree, which has message_tree_id and prompt',
  );
}

function titleOf(value: unknown): string {
  if (!isJsonObject(value)) return '';
  for (const name of [value['title'], value['message_tree_id']]) {
    if (typeof name === 'string' && name !== '') return ` (${JSON.stringify(name.slice(0, 100))})`;
  }
  return '';
}

/** One line, however long the error's message is. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s+/g, ' ').trim();
}
