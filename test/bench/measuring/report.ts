/** What was measured, against what was asked for: rows of a Markdown table as docs/performance.md has it. */
import { cpus } from 'node:os';

export interface Ratio {
  what: string;
  /** Null where it could not be measured; the detail says why. */
  ratio: number | null;
  /** What is asked for: at most, unless it says at least. Absent where nothing is. */
  goal?: number;
  atLeast?: boolean;
  /** Where it is no ratio after all. */
  unit?: string;
  detail: string;
}

/** How much longer one way takes than another. */
export function ratioOf(what: string, time: number, baseline: number, goal?: number): Ratio {
  const detail = `${time.toFixed(2)} ms against ${baseline.toFixed(2)} ms`;
  return { what, ratio: time / baseline, ...(goal !== undefined && { goal }), detail };
}

export function printHead(): void {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}\n`);
  console.log('| What | Ratio | Goal | | Medians |\n| --- | --- | --- | --- | --- |');
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
