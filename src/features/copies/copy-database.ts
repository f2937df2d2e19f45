import { allChats, compareDatabases, COUNTED, type Comparison } from './compare-databases.js';
import { copyChat, type Outcome } from './copy-chat.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';
import { copyUserFiles } from './copy-files.js';
import { type Sides, SideError, type Side } from './side.js';
import { copyStatements } from './statements.js';

/** Chats named in the report; there may be a million. */
const MAX_NAMES = 10;

/** The result of a copy, in numbers and text. */
export class CopyReport {
  readonly chats = { copied: 0, same: 0 };
  messagesCopied = 0;
  /** The final comparison. */
  comparison: Comparison | null = null;
  readonly #faults = new Map<string, string>();
  readonly #fileFaults = new Map<string, string>();

  add(outcome: Outcome): void {
    if (outcome.result === 'missing') return;
    this.chats[outcome.result]++;
    if (outcome.result === 'copied') this.messagesCopied += outcome.messages;
  }

  addFault(chatId: string, reason: string): void {
    this.#faults.set(chatId, reason);
  }

  addFileFault(fileId: string, reason: string): void {
    this.#fileFaults.set(fileId, reason);
  }

  hasFault(chatId: string): boolean {
    return this.#faults.has(chatId);
  }

  /** Whether the target has exactly the source's content. */
  get isComplete(): boolean {
    return this.problems().length === 0;
  }

  /** Lines to print. */
  summary(): string[] {
    const { copied, same } = this.chats;
    return [
      `${count(copied, 'chat')} copied (${count(this.messagesCopied, 'message')}), ${same} there already.`,
      ...(this.comparison === null ? [] : countLines(this.comparison)),
      ...(this.isComplete ? ['Both databases hold the same: every chat has the same checksum in both.'] : []),
    ];
  }

  /** Lines that explain the differences. */
  problems(): string[] {
    const faults = [...this.#faults];
    const lines = faults.slice(0, MAX_NAMES).map(([id, reason]) => `Chat "${id}" was not copied: ${reason}`);
    if (faults.length > MAX_NAMES) lines.push(`${faults.length - MAX_NAMES} more chats were not copied.`);
    const [fileFault] = this.#fileFaults.values();
    if (fileFault !== undefined) {
      const others = this.#fileFaults.size - 1;
      lines.push(`A user was not given a file: ${fileFault}${others > 0 ? `; ${others} more` : ''}.`);
    }
    if (this.comparison === null) return lines;
    const { onlyInSource, onlyInTarget, changed } = this.comparison;
    if (onlyInSource.length > 0) {
      lines.push(`New in the source meanwhile: ${names(onlyInSource)}. Run this again to copy them.`);
    }
    if (changed.length > 0) {
      lines.push(`Changed meanwhile: ${names(changed)}. Delete them in the target, and run this again.`);
    }
    if (onlyInTarget.length > 0) lines.push(`In the target, and not in the source: ${names(onlyInTarget)}.`);
    if (lines.length === 0 && !hasEqualCounts(this.comparison)) {
      lines.push('The databases have the same chats, but not the same number of rows.');
    }
    return lines;
  }
}

function hasEqualCounts({ source, target }: Comparison): boolean {
  return COUNTED.every((table) => source[table] === target[table]);
}

function countLines({ source, target }: Comparison): string[] {
  const row = (name: string, left: string, right: string) =>
    `  ${name.padEnd(21)}${left.padStart(11)}${right.padStart(12)}`;
  return [
    row('rows', 'source', 'target'),
    ...COUNTED.map((table) => row(table, String(source[table]), String(target[table]))),
  ];
}

function names(ids: readonly string[]): string {
  const shown = ids.slice(0, MAX_NAMES).map((id) => `"${id}"`);
  const more = ids.length > MAX_NAMES ? ` and ${ids.length - MAX_NAMES} more` : '';
  return `${count(ids.length, 'chat')}, ${shown.join(', ')}${more}`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

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
