import { useThreadState } from '@parley/client/react';
import {
  Ellipsis,
  GitFork,
  Keyboard,
  KeyRound,
  Link,
  LogOut,
  Pencil,
  Printer,
  Share2,
  Trash2,
  Users,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useIsAdmin } from '../admin/use-is-admin.js';
import { useDeletion } from '../chats/deletion.js';
import { useRename } from '../chats/rename.js';
import { IconButton } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { MenuAction, MenuButton, MenuLink, MenuSeparator } from '../design/menu.js';
import { GraphiqlLink } from '../graphiql-link.js';
import { lazyPart } from '../lazy-part.js';
import { linkTo, PAGE_NAMES, type Place } from '../place.js';
import { print } from '../print.js';
import { useRights } from '../role.js';
import { useFork } from '../sharing/fork.js';

const SharingDialog = lazyPart(() => import('../sharing/sharing-dialog.js'));

interface MoreMenuProps {
  place: Place;
  onSignOut: ((everywhere: boolean) => void) | null;
  onShortcuts(): void;
}

/** The rarer actions of the page and of the open chat. */
export function MoreMenu({ place, onSignOut, onShortcuts }: MoreMenuProps): ReactNode {
  const { chatId, messageId } = place;
  const [isSharing, setIsSharing] = useState(false);
  const [isOpened, setIsOpened] = useState(false);
  const isAdmin = useIsAdmin(isOpened);
  return (
    <>
      <MenuButton
        align="end"
        onOpen={() => setIsOpened(true)}
        trigger={<IconButton label="More actions" icon={Ellipsis} />}
      >
        {chatId !== null && <ChatActions chatId={chatId} onShare={() => setIsSharing(true)} />}
        {isAdmin && (
          <MenuLink icon={Users} href={linkTo({ page: 'users' })}>
            Users and server
          </MenuLink>
        )}
        <MenuLink icon={KeyRound} href={linkTo({ page: 'tokens' })}>
          {PAGE_NAMES.tokens}
        </MenuLink>
        <GraphiqlLink place={place} />
        <MenuAction icon={Keyboard} detail="?" onClick={onShortcuts}>
          Keyboard shortcuts
        </MenuAction>
        {onSignOut !== null && (
          <>
            <MenuAction icon={LogOut} onClick={() => onSignOut(false)}>
              Sign out
            </MenuAction>
            <MenuAction icon={LogOut} onClick={() => onSignOut(true)}>
              Sign out of all browsers
            </MenuAction>
          </>
        )}
      </MenuButton>
      {isSharing && chatId !== null && (
        <SharingDialog chatId={chatId} messageId={messageId} onClose={() => setIsSharing(false)} />
      )}
    </>
  );
}

function ChatActions({ chatId, onShare }: { chatId: string; onShare(): void }): ReactNode {
  const fork = useFork();
  const rename = useRename();
  const title = useThreadState(chatId, ({ chat }) => chat?.title ?? null);
  const remove = useDeletion();
  const may = useRights(chatId);
  return (
    <>
      <MenuAction icon={Link} onClick={() => void copyText(location.href)}>
        Copy link
      </MenuAction>
      <MenuAction icon={Share2} onClick={onShare}>
        Share
      </MenuAction>
      <MenuAction icon={GitFork} onClick={() => void fork(chatId, null)}>
        Fork chat
      </MenuAction>
      <MenuAction icon={Printer} onClick={print}>
        Print
      </MenuAction>
      {may('WRITER') && (
        <MenuAction icon={Pencil} onClick={() => void rename(chatId, title)}>
          Rename chat
        </MenuAction>
      )}
      {may('OWNER') && (
        <MenuAction icon={Trash2} tone="danger" onClick={() => void remove([chatId])}>
          Delete chat
        </MenuAction>
      )}
      <MenuSeparator />
    </>
  );
}
