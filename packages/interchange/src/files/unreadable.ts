/** A file, or one conversation in it, that cannot be read: the message is a plain sentence for whoever imports it. */
export class UnreadableError extends Error {}
