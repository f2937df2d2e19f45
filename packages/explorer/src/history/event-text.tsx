import {
  Bookmark,
  BookmarkX,
  GitBranch,
  GitBranchPlus,
  GitCommitVertical,
  MessageSquarePlus,
  Pencil,
  Trash2,
  Undo2,
  UserRoundCog,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { linkTo } from '../place.js';
import type { LoggedEvent } from './events.js';

const KINDS: Readonly<Record<string, readonly [icon: LucideIcon, text: string]>> = {
  ChatCreated: [MessageSquarePlus, 'The chat was created'],
  ChatUpdated: [Pencil, 'The chat was updated'],
  ChatTransferred: [UserRoundCog, 'The chat was transferred'],
  ChatRestored: [Undo2, 'The chat was deleted and restored'],
  MemberChanged: [UserRoundCog, 'Member'],
  BranchCreated: [GitBranchPlus, 'New branch'],
  BranchHeadMoved: [GitCommitVertical, 'Head of'],
  BranchActivated: [GitBranch, 'Switched to'],
  BranchRenamed: [Pencil, 'Renamed to'],
  BranchDeleted: [Trash2, 'Deleted the branch'],
  CheckpointSaved: [Bookmark, 'Checkpoint'],
  CheckpointDeleted: [BookmarkX, 'Deleted the checkpoint'],
};

/** The icon of an event on the timeline. @param type of the event, in GraphQL */
export function EventIcon({ type }: { type: string }): ReactNode {
  const [Icon] = KINDS[type] ?? [GitCommitVertical];
  return (
    <span className="event-icon" data-type={type} aria-hidden>
      <Icon />
    </span>
  );
}

interface EventTextProps {
  /** Null for no links. */
  chatId: string | null;
  event: LoggedEvent;
  /** Excerpts by message id. */
  previews: ReadonlyMap<string, string>;
}

/** The change of an event, with links to its messages. */
export function EventText({ chatId, event, previews }: EventTextProps): ReactNode {
  const { __typename, branch, name, previousName, headId, previousHeadId, messageId, userId, previousUserId } = event;
  const { role } = event;
  const place = (id: string | null | undefined) =>
    !id ? (
      'none'
    ) : chatId === null ? (
      <bdi>{previews.get(id) || 'a message'}</bdi>
    ) : (
      <a href={linkTo({ chatId, messageId: id })} dir="auto">
        {previews.get(id) || 'a message'}
      </a>
    );
  const [, kind] = KINDS[__typename] ?? [null, __typename];
  return (
    <>
      {kind} <b dir="auto">{name ?? branch?.name}</b>
      {previousName !== undefined && ` (before: ${previousName})`}
      {previousHeadId !== undefined && (
        <>
          : {place(previousHeadId)} → {place(headId)}
        </>
      )}
      {__typename === 'BranchCreated' && <> {headId ? place(headId) : '(empty)'}</>}
      {messageId !== undefined && <> {place(messageId)}</>}
      {previousUserId !== undefined && `: ${previousUserId} → ${userId}`}
      {role !== undefined && ` ${userId}: ${role ?? 'removed'}`}
    </>
  );
}
