import type { ReactNode } from 'react';
import { lazyPart } from './lazy-part.js';
import type { PageDialog } from './palette/action-commands.js';
import type { Place } from './place.js';

const Branches = lazyPart(() => import('./shell/branches-dialog.js'));
const Export = lazyPart(() => import('./transfer/export-dialog.js'));
const Sharing = lazyPart(() => import('./sharing/sharing-dialog.js'));
const Shortcuts = lazyPart(() => import('./shell/shortcuts.js'));
const Trash = lazyPart(() => import('./chats/trash.js'));

interface PageDialogsProps {
  dialog: PageDialog;
  place: Place;
  onClose(): void;
}

/** The dialogs that the palette and shortcuts open. */
export default function PageDialogs({ dialog, place, onClose }: PageDialogsProps): ReactNode {
  const { chatId, messageId } = place;
  if (dialog === 'shortcuts') return <Shortcuts onClose={onClose} />;
  if (dialog === 'deleted') return <Trash onClose={onClose} />;
  if (chatId === null) return null;
  if (dialog === 'share') return <Sharing {...{ chatId, messageId, onClose }} />;
  if (dialog === 'export') return <Export chatIds={[chatId]} onClose={onClose} />;
  return <Branches {...{ chatId, onClose }} />;
}
