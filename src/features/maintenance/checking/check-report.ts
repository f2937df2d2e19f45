/** A row that breaks an invariant. */
export interface Finding {
  readonly table: string;
  /** The columns that identify the row; none for a whole table. */
  readonly row: Readonly<Record<string, string | number>>;
  readonly problem: string;
}

/** Findings kept per kind: a damaged database may have one for each of a million rows. */
const MAX_KEPT_PER_KIND = 20;

/** The findings of a check: the first ones of each kind, and the total of each. */
export class CheckReport {
  rows = 0;
  readonly #kinds = new Map<string, { kept: Finding[]; count: number }>();

  add(finding: Finding): void {
    const kind = `${finding.table}: ${finding.problem}`;
    const { kept, count } = this.#kinds.get(kind) ?? { kept: [], count: 0 };
    if (count < MAX_KEPT_PER_KIND) kept.push(finding);
    this.#kinds.set(kind, { kept, count: count + 1 });
  }

  get isSound(): boolean {
    return this.#kinds.size === 0;
  }

  /** The kept findings. */
  get findings(): Finding[] {
    return [...this.#kinds.values()].flatMap(({ kept }) => kept);
  }

  /** The number of findings per kind. */
  totals(): Record<string, number> {
    return Object.fromEntries([...this.#kinds].map(([kind, { count }]) => [kind, count]));
  }

  /** One line per kept finding, and per kind with more. */
  problems(): string[] {
    return [...this.#kinds].flatMap(([kind, { kept, count }]) => [
      ...kept.map(lineOf),
      ...(count > kept.length ? [`${kind}: ${count - kept.length} more`] : []),
    ]);
  }

  summary(): string {
    const count = Object.values(this.totals()).reduce((sum, each) => sum + each, 0);
    return `${this.rows} rows checked: ${count === 0 ? 'no findings' : count === 1 ? '1 finding' : `${count} findings`}.`;
  }
}

/** Always a single line, even if ids contain line breaks. */
function lineOf({ table, row, problem }: Finding): string {
  const ids = Object.entries(row).map(([column, value]) => ` ${column}=${JSON.stringify(value)}`);
  return `${table}${ids.join('')}: ${problem}`;
}
