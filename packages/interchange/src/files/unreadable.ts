/** A file or a conversation that cannot be read. The message is a plain sentence for the user. */
export class UnreadableError extends Error {}

/** A value that is left out on purpose: the report names it, and it is no failure. */
export class LeftOutError extends UnreadableError {}
