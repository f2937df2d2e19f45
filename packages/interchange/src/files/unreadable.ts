/** A file or a conversation that cannot be read. The message is a plain sentence for the user. */
export class UnreadableError extends Error {}
