/** The groups of the command palette, for a query. */
import type { Branch, ChatItem } from '@parley/client';
import type { SearchHit } from '@parley/client/react';
import { Bookmark, GitBranch, MessageSquare, Quote } from 'lucide-react';
import { linkTo } from '../place.js';
import { dayLabel, shortTime } from '../chats/by-day.js';
import { chatTitle } from '../chats/chat-title.js';
import { counted } from '../words.js';
import { actionCommands, type ActionsContent, type Command } from './action-commands.js';

/** The number of chats, branches and checkpoints that the palette lists. */
const MAX_LISTED = 8;

export interface CommandGroup {
  value: string;
  items: Command[];
}

export interface PaletteContent extends ActionsContent {
  query: string;
  /** Their titles as lists show them. */
  chats: readonly { chat: ChatItem; title: string }[];
  /** Other chats whose titles match the query. */
  titled: readonly ChatItem[];
  branches: readonly Branch[];
  checkpoints: readonly { name: string; messageId: string }[];
  hits: readonly SearchHit[];
  switchBranch(branch: Branch): void;
}

/** The groups with a match, the most specific ones first. */
export function commandGroups(content: PaletteContent): CommandGroup[] {
  const query = content.query.trim().toLowerCase();
  const matches = ({ label, title = label }: Command) => `${label} ${title}`.toLowerCase().includes(query);
  const chats = chatCommands(content.chats).filter(matches);
  const titled = content.titled.map((chat) => ({ chat, title: chatTitle(chat, undefined) }));
  const groups = [
    { value: 'Chats', items: [...chats, ...chatCommands(titled)].slice(0, MAX_LISTED) },
    { value: 'Branches and checkpoints', items: branchCommands(content).filter(matches).slice(0, MAX_LISTED) },
    { value: 'Actions', items: actionCommands(content).filter(matches) },
    { value: 'Messages', items: content.hits.map(messageCommand) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

const open = (hash: string) => () => {
  location.hash = hash;
};

/** Without groups by day, a time of yesterday looks like one of today. */
function dateText(time: string): string {
  const [date, now] = [new Date(time), new Date()];
  const day = dayLabel(date, now);
  return day === 'Yesterday' ? day : shortTime(date, now);
}

function chatCommands(chats: PaletteContent['chats']): Command[] {
  return chats.map(({ chat: { id, messageCount, updatedAt }, title }) => ({
    value: `chat ${id}`,
    label: title,
    detail: `${counted(messageCount, 'message')} · ${dateText(updatedAt)}`,
    icon: MessageSquare,
    run: open(linkTo({ chatId: id })),
  }));
}

function branchCommands({ place: { chatId }, branches, checkpoints, switchBranch }: PaletteContent): Command[] {
  return [
    ...branches.map((branch) => ({
      value: `branch ${branch.id}`,
      label: branch.label,
      title: branch.name,
      ...(branch.isActive && { detail: 'active' }),
      icon: GitBranch,
      run: () => switchBranch(branch),
    })),
    ...checkpoints.map(({ name, messageId }) => ({
      value: `checkpoint ${name}`,
      label: name,
      detail: 'Checkpoint',
      icon: Bookmark,
      run: open(linkTo({ chatId, messageId })),
    })),
  ];
}

function messageCommand({ message: { id, name, preview, createdAt, chat } }: SearchHit): Command {
  return {
    value: `message ${id}`,
    label: preview,
    detail: `${chat.title ?? 'Untitled'} · ${name} · ${dateText(createdAt)}`,
    icon: Quote,
    run: open(linkTo({ chatId: chat.id, messageId: id })),
  };
}
