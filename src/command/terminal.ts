/** Output of a command: the process's own, or a list in tests. */
export interface Terminal {
  out(line: string): void;
  error(line: string): void;
  /** Where a progress bar may be drawn; null where there is no terminal. */
  progress: NodeJS.WriteStream | null;
}

/** Output of a command without progress. */
export type Lines = Pick<Terminal, 'out' | 'error'>;

export const terminal: Terminal = {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
  progress: process.stdout.isTTY && process.stderr.isTTY ? process.stderr : null,
};
