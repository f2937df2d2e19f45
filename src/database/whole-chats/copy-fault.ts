/** The reason that a single chat cannot be copied; its text follows the chat's name. */
export class CopyFault extends Error {}
