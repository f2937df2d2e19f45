/** Limits of Parley's server on messages and names. The server imports them from here, so that each number exists once. */

/** UTF-16 code units of ids, names and titles: NVARCHAR(255), the narrowest of the databases, counts these. */
export const MAX_NAME_LENGTH = 255;
/** The size of a message's data as JSON, in bytes of UTF-8. */
export const MAX_DATA_BYTES = 1024 * 1024;
/** Nesting levels of arrays and objects in a message's data. */
export const MAX_JSON_DEPTH = 200;
/** Bytes of a string that readers keep: more than a message may have, so that a truncated string is still refused. */
export const MAX_STRING_BYTES = 2 * 1024 * 1024;
