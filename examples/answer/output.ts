/** The output of the program: lines, also for errors. */

export interface Output {
  out(line: string): void;
  error(line: string): void;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
