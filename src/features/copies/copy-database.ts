import { allChats, compareDatabases } from './compare-databases.js';
import { copyChat } from './copy-chat.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';
import { copyUserFiles } from './copy-files.js';
import { CopyReport } from './copy-report.js';
import type { Sides } from './open-sides.js';
import { SideError, type Side } from './side.js';
import { copyStatements } from './statements.js';

/** Called with the numbers of all and of copied messages. */
export type CopyProgress = (done: number, total: number) => void;

/**
 * Copies all chats of one database into another and compares the two. Chats of an earlier interrupted copy are compared
 * and not copied again. Failures are in the report.
 * @param copyFeatures copies what features store besides chats
 * @throws SideError when a database becomes unusable
 */
export async function copyDatabase(
  { source, target }: Pick<Sides, 'source' | 'target'>,
  onProgress: CopyProgress = () => {},
  copyFeatures: (source: Side, target: Side) => Promise<void> = async () => {},
): Promise<CopyReport> {
  const report = new CopyReport();
  const [messages] = await source.read((db) =>
    db.rows<{ total: number }>(copyStatements(source.sql.differences).countRows('messages')),
  );
  const total = messages?.total ?? 0;
  let done = 0;
  onProgress(done, total);
  // First: a server of the target must find the rows that keep it from deleting chats.
  await copyFeatures(source, target);
  for await (const chats of allChats(source)) {
    for (const { id } of chats) {
      try {
        const outcome = await copyChat(source, target, id, (messages) => onProgress(done + messages, total));
        report.add(outcome);
        if (outcome.result !== 'missing') done += outcome.messages;
      } catch (error) {
        // The failure may concern this chat only.
        if (error instanceof CopyFault) report.addFault(id, error.message);
        else if (error instanceof SideError && !error.isUnavailable) report.addFault(id, error.message);
        else throw error;
      }
      onProgress(done, total);
    }
  }
  await copyUserFiles(source, target, (fileId, { message }) => report.addFileFault(fileId, message));
  report.comparison = await compareDatabases(source, target, (id) => report.hasFault(id));
  return report;
}
