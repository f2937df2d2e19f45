/** Statements that run several times, with other values each time. */

/** A parameter with a value for each run. */
export class PerRun {
  constructor(readonly values: readonly unknown[]) {}
}

/** The values of each run of a statement: usually of one. */
export function runsOf(values: readonly unknown[]): unknown[][] {
  const runs = values.find((value) => value instanceof PerRun);
  if (runs === undefined) return [[...values]];
  return runs.values.map((_, run) => values.map((value) => (value instanceof PerRun ? value.values[run] : value)));
}
