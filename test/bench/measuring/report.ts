/** Prints measurements with their goals, as rows of the Markdown table in docs/performance.md. */
import { cpus, loadavg } from 'node:os';

export interface Ratio {
  what: string;
  /** Null if it could not be measured; the detail contains the reason. */
  ratio: number | null;
  /** The goal: a maximum, or a minimum with `atLeast`. Missing without a goal. */
  goal?: number;
  atLeast?: boolean;
  /** The unit of a value that is not a ratio. */
  unit?: string;
  detail: string;
}

/** The ratio of the time of a way to the time of another one. */
export function ratioOf(what: string, time: number, baseline: number, goal?: number): Ratio {
  const detail = `${time.toFixed(2)} ms against ${baseline.toFixed(2)} ms`;
  return { what, ratio: time / baseline, ...(goal !== undefined && { goal }), detail };
}

export function printHead(): void {
  const [load = 0] = loadavg();
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load ${load.toFixed(1)}\n`,
  );
  console.log('| Measurement | Ratio | Goal | | Medians |\n| --- | --- | --- | --- | --- |');
}

export function printRatio({ what, ratio, goal, atLeast = false, unit, detail }: Ratio): void {
  const withUnit = (value: number | string) => (unit === undefined ? `${value}` : `${value} ${unit}`);
  const value = ratio === null ? '' : withUnit(unit === undefined ? ratio.toFixed(2) : Math.round(ratio));
  const bound = goal === undefined ? '' : withUnit(`${atLeast ? 'at least' : 'at most'} ${goal}`);
  console.log(`| ${what} | ${value} | ${bound} | ${verdict({ ratio, goal, atLeast })} | ${detail} |`);
}

function verdict({ ratio, goal, atLeast }: { ratio: number | null; goal: number | undefined; atLeast: boolean }) {
  if (ratio === null) return 'not measured';
  if (goal === undefined) return '';
  return (atLeast ? ratio >= goal : ratio <= goal) ? 'met' : '**missed**';
}
