/** The message of anything thrown, including values that are not errors. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
