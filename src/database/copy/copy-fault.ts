/** Why a chat cannot be copied, in words that follow its name. The other chats can be. */
export class CopyFault extends Error {}
