/** What was measured, as ratios against what was asked for. */
import { cpus } from 'node:os';

export interface Ratio {
  what: string;
  ratio: number;
  /** The ratio that is asked for: at most, unless it says at least. */
  goal: number;
  atLeast?: boolean;
  detail: string;
}

/** How much longer one way takes than another. */
export function ratioOf(what: string, time: number, baseline: number, goal: number): Ratio {
  return { what, ratio: time / baseline, goal, detail: `${time.toFixed(2)} ms against ${baseline.toFixed(2)} ms` };
}

export function printHead(): void {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}\n`);
  console.log('| what | ratio | goal | | medians |\n|---|---|---|---|---|');
}

export function printRatio({ what, ratio, goal, atLeast = false, detail }: Ratio): void {
  const isMet = atLeast ? ratio >= goal : ratio <= goal;
  const bound = `${atLeast ? 'at least' : 'at most'} ${goal}`;
  console.log(`| ${what} | ${ratio.toFixed(2)} | ${bound} | ${isMet ? 'met' : 'missed'} | ${detail} |`);
}
