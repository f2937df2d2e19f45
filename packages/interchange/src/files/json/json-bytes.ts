/** The bytes that structure JSON text. */
export const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a];
export const [BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
