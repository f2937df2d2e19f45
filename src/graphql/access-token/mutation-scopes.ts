/**
 * The scope that an access token needs for each mutation. MANAGE gives, ends or outlives access: shares, members, owners,
 * deletions and policies. A mutation without an entry needs it, too.
 */
import type { AccessScope } from '../../conversation/model.js';

export const MUTATION_SCOPES: Readonly<Record<string, Exclude<AccessScope, 'READ'>>> = {
  addMember: 'MANAGE',
  appendToDraft: 'WRITE',
  btw: 'WRITE',
  // Its rule refuses all access tokens with a reason.
  createAccessToken: 'WRITE',
  createChat: 'WRITE',
  createCheckpoint: 'WRITE',
  createShare: 'MANAGE',
  deleteBranch: 'WRITE',
  deleteChat: 'MANAGE',
  deleteCheckpoint: 'WRITE',
  discardDraft: 'WRITE',
  editMessage: 'WRITE',
  finishDraft: 'WRITE',
  forkChat: 'WRITE',
  liftLegalHold: 'MANAGE',
  removeMember: 'MANAGE',
  renameBranch: 'WRITE',
  replayWebhookDeliveries: 'MANAGE',
  restoreChat: 'MANAGE',
  restoreCheckpoint: 'WRITE',
  // An access token revokes only itself.
  revokeAccessToken: 'WRITE',
  revokeShare: 'MANAGE',
  rewind: 'WRITE',
  saveMessages: 'WRITE',
  setLegalHold: 'MANAGE',
  setRetention: 'MANAGE',
  setStorageQuota: 'MANAGE',
  startDraft: 'WRITE',
  stopDraft: 'WRITE',
  switchBranch: 'WRITE',
  switchToSibling: 'WRITE',
  transferChat: 'MANAGE',
  updateChat: 'WRITE',
  upsertChat: 'WRITE',
};

export function scopeOfMutation(field: string): AccessScope {
  return field === '__typename' ? 'WRITE' : (MUTATION_SCOPES[field] ?? 'MANAGE');
}
