/** What a command writes to: in a process its own, in tests a list. */
export interface Terminal {
  out(line: string): void;
  error(line: string): void;
  /** Where a progress bar may be drawn; null where there is no terminal. */
  progress: NodeJS.WriteStream | null;
}

/** For a command that has no progress to show. */
export type Lines = Pick<Terminal, 'out' | 'error'>;

/** This process's. */
export const terminal: Terminal = {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
  progress: process.stdout.isTTY && process.stderr.isTTY ? process.stderr : null,
};
