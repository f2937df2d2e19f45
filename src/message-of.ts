/** What an error says: of what is thrown, not everything is one. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
