/** What an import did, in numbers and in plain words. */
import type { ImportOutcome } from './import-conversation.js';

/** So many lines of each kind are kept; a file may have a fault in every one of a million lines. */
const MAX_LINES = 1000;

export class ImportReport {
  readonly conversations = { imported: 0, updated: 0, unchanged: 0 };
  readonly messages = { imported: 0, updated: 0 };
  /** How many texts had characters that cannot be stored. */
  textsChanged = 0;
  readonly warnings = new Lines();
  /** What could not be read: where, and why. */
  readonly failures = new Lines();

  add({ result, newMessages }: ImportOutcome): void {
    this.conversations[result]++;
    if (result !== 'unchanged') this.messages[result] += newMessages;
  }

  /** Lines to print. */
  summary(): string[] {
    const { imported, updated, unchanged } = this.conversations;
    const [first, rest] = [
      `${count(imported, 'conversation')} imported (${count(this.messages.imported, 'message')})`,
      [`${updated} updated (${count(this.messages.updated, 'new message')})`, `${unchanged} unchanged`],
    ];
    const warnings = [...this.warnings.kept];
    if (this.textsChanged > 0) {
      warnings.unshift(
        `${count(this.textsChanged, 'text')} had characters that cannot be stored; U+FFFD stands for them`,
      );
    }
    return [
      `${[first, ...rest].join(', ')}.`,
      ...section('Warnings:', warnings, this.warnings.left),
      ...section('Could not read:', this.failures.kept, this.failures.left),
    ];
  }
}

class Lines {
  readonly kept: string[] = [];
  total = 0;

  add(line: string): void {
    this.total++;
    if (this.kept.length < MAX_LINES) this.kept.push(line);
  }

  get left(): number {
    return this.total - this.kept.length;
  }
}

function section(heading: string, lines: readonly string[], left: number): string[] {
  if (lines.length === 0) return [];
  return [heading, ...lines.map((line) => `  ${line}`), ...(left > 0 ? [`  and ${left} more`] : [])];
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
