import { allChats } from './chat-state.js';
import { compareDatabases } from './compare-databases.js';
import { copyChat } from './copy-chat.js';
import { CopyFault } from './copy-fault.js';
import { CopyReport } from './copy-report.js';
import type { Sides } from './open-sides.js';
import { SideError } from './side.js';

/** Hears how many messages there are, and how many of them are done. */
export type CopyProgress = (done: number, total: number) => void;

/**
 * Copies all chats of one database into another, one after the other, and compares the two at the end. What has been
 * copied before, by one that was interrupted, is compared and not copied again. What cannot be copied is in the report.
 *
 * @throws SideError when one of them cannot be used any more
 */
export async function copyDatabase(
  { source, target }: Pick<Sides, 'source' | 'target'>,
  onProgress: CopyProgress = () => {},
): Promise<CopyReport> {
  const report = new CopyReport();
  const [messages] = await source.read((db) => db.rows<{ total: number }>(source.sql.countRows('messages')));
  const total = messages?.total ?? 0;
  let done = 0;
  onProgress(done, total);
  for await (const chats of allChats(source)) {
    for (const { id } of chats) {
      try {
        const outcome = await copyChat(source, target, id, (messages) => onProgress(done + messages, total));
        report.add(outcome);
        if (outcome.result !== 'gone') done += outcome.messages;
      } catch (error) {
        // Whatever it is about this chat, the others may be fine.
        if (error instanceof CopyFault) report.addFault(id, error.message);
        else if (error instanceof SideError && !error.isUnavailable) report.addFault(id, error.message);
        else throw error;
      }
      onProgress(done, total);
    }
  }
  report.comparison = await compareDatabases(source, target, (id) => report.hasFault(id));
  return report;
}
