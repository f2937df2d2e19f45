/** Values that are refused. */

export const INPUT_TYPES = {
  createChat: 'CreateChatInput',
  upsertChat: 'CreateChatInput',
  updateChat: 'UpdateChatInput',
  saveMessages: 'SaveMessagesInput',
  editMessage: 'EditMessageInput',
  rewind: 'RewindInput',
  btw: 'BtwInput',
  switchBranch: 'SwitchBranchInput',
  createCheckpoint: 'CreateCheckpointInput',
  restoreCheckpoint: 'RestoreCheckpointInput',
  renameBranch: 'RenameBranchInput',
  deleteBranch: 'DeleteBranchInput',
  switchToSibling: 'SwitchToSiblingInput',
  forkChat: 'ForkChatInput',
  startDraft: 'StartDraftInput',
  createShare: 'CreateShareInput',
  createAccessToken: 'CreateAccessTokenInput',
};

export type Mutation = keyof typeof INPUT_TYPES;

export const message = (content: object, more: object = {}) => ({
  chatId: 'c',
  messages: [{ name: 'user', content, ...more }],
});
