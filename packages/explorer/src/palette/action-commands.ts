/** The actions of the page as commands of the palette. */
import type { ChatRole } from '@parley/client';
import {
  Braces,
  FolderInput,
  GitBranch,
  GitFork,
  House,
  Keyboard,
  KeyRound,
  Link,
  LogOut,
  Moon,
  Pencil,
  Plus,
  Printer,
  Settings2,
  Share2,
  Sun,
  Trash2,
  Upload,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { linkTo, PAGE_NAMES, viewName, VIEWS, type Place } from '../place.js';
import { includesRole } from '../role.js';

export interface Command {
  /** Unique in the palette. */
  value: string;
  label: string;
  /** The text of which the label is a short form. */
  title?: string;
  detail?: string;
  icon: LucideIcon;
  run(): void;
}

/** The dialogs that the palette opens. */
export type PageDialog = 'shortcuts' | 'share' | 'export' | 'branches' | 'deleted';

export interface PageActions {
  openDialog(dialog: PageDialog): void;
  createChat(): void;
  importFiles(): void;
  importFolder(): void;
  toggleTheme(): void;
  openGraphiql(): void;
  copyLink(): void;
  fork(): void;
  print(): void;
  rename(): void;
  remove(): void;
  /** Null without a session. */
  signOut: ((everywhere: boolean) => void) | null;
}

export interface ActionsContent {
  place: Place;
  theme: 'light' | 'dark';
  isAdmin: boolean;
  /** The role in the open chat; null without one. */
  role: ChatRole | null;
  actions: PageActions;
}

/** All actions that the user may do at a place. */
export function actionCommands({ place: { chatId }, theme, isAdmin, role, actions }: ActionsContent): Command[] {
  const { openDialog, signOut } = actions;
  const may = (required: ChatRole) => role !== null && includesRole(role, required);
  const link = (label: string, icon: LucideIcon, hash: string): Command[] => [
    { value: label, label, icon, run: () => (location.hash = hash) },
  ];
  const only = (isOffered: boolean, label: string, icon: LucideIcon, run: () => void): Command[] =>
    isOffered ? [{ value: label, label, icon, run }] : [];
  const isChat = chatId !== null;
  return [
    ...only(true, 'New chat', Plus, actions.createChat),
    ...(isChat ? VIEWS.flatMap((view) => link(`Show ${viewName(view)}`, GitBranch, linkTo({ chatId, view }))) : []),
    ...only(isChat, 'Copy link', Link, actions.copyLink),
    ...only(isChat, 'Share', Share2, () => openDialog('share')),
    ...only(isChat, 'Export', Upload, () => openDialog('export')),
    ...only(isChat, 'Fork chat', GitFork, actions.fork),
    ...only(isChat, 'Print', Printer, actions.print),
    ...only(isChat, 'Manage branches and checkpoints', Settings2, () => openDialog('branches')),
    ...only(may('WRITER'), 'Rename chat', Pencil, actions.rename),
    ...only(may('OWNER'), 'Delete chat', Trash2, actions.remove),
    ...only(true, 'Import files', FolderInput, actions.importFiles),
    ...only(true, 'Import a folder', FolderInput, actions.importFolder),
    ...only(true, 'Deleted chats', Trash2, () => openDialog('deleted')),
    ...link('Home', House, linkTo({})),
    ...link(PAGE_NAMES.tokens, KeyRound, linkTo({ page: 'tokens' })),
    ...(isAdmin ? link('Users and server', Users, linkTo({ page: 'users' })) : []),
    ...only(true, 'Open GraphiQL', Braces, actions.openGraphiql),
    ...only(
      true,
      theme === 'dark' ? 'Use light colours' : 'Use dark colours',
      theme === 'dark' ? Sun : Moon,
      actions.toggleTheme,
    ),
    ...only(true, 'Show keyboard shortcuts', Keyboard, () => openDialog('shortcuts')),
    ...only(signOut !== null, 'Sign out', LogOut, () => signOut?.(false)),
    ...only(signOut !== null, 'Sign out of all browsers', LogOut, () => signOut?.(true)),
  ];
}
