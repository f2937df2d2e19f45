/** The server's limits that clients check before they send. */

/** A message's data, in bytes of UTF-8 as JSON. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
export const MAX_MESSAGES_PER_SAVE = 500;

export const MAX_CHUNKS_PER_APPEND = 500;
export const MAX_BYTES_PER_APPEND = 256 * 1024;
export const MAX_CHUNKS_PER_DRAFT = 100_000;
export const MAX_BYTES_PER_DRAFT = 8 * 1024 * 1024;
