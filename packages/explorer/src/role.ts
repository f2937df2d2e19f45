import type { ChatRole } from '@parley/client';
import { useThreadState } from '@parley/client/react';

const ROLES: readonly ChatRole[] = ['READER', 'COMMENTER', 'WRITER', 'OWNER'];

/** Whether a role has the rights of another one. */
export const includesRole = (role: ChatRole, required: ChatRole): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(required);

/** Tests whether the user has the rights of a role in a chat. */
export function useRights(chatId: string): (required: ChatRole) => boolean {
  const role = useThreadState(chatId, ({ chat }) => chat?.viewerRole ?? 'READER');
  return (required) => includesRole(role, required);
}
