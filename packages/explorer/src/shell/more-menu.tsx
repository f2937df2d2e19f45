import { useThreadState } from '@parley/client/react';
import {
  Download,
  Ellipsis,
  GitFork,
  Keyboard,
  KeyRound,
  Link,
  LogOut,
  Moon,
  Pencil,
  Printer,
  Share2,
  Sun,
  Trash2,
  Upload,
  Users,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useIsAdmin } from '../admin/use-is-admin.js';
import { useDeletion } from '../chats/deletion.js';
import { useRename } from '../chats/rename.js';
import { Button, IconButton } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { MenuAction, MenuButton, MenuLink, MenuSeparator } from '../design/menu.js';
import { useTheme } from '../design/theme.js';
import { GraphiqlLink } from '../graphiql-link.js';
import { lazyPart } from '../lazy-part.js';
import { linkOfView, linkTo, PAGE_NAMES, viewName, VIEWS, type Place } from '../place.js';
import { print } from '../print.js';
import { useRights } from '../role.js';
import { useFork } from '../sharing/fork.js';
import { chooseImport } from '../transfer/choose.js';
import { VIEW_ICONS } from './view-icons.js';

const ExportDialog = lazyPart(() => import('../transfer/export-dialog.js'));
const SharingDialog = lazyPart(() => import('../sharing/sharing-dialog.js'));

interface MoreMenuProps {
  /** Whether it contains the actions for which the header has no space. */
  isSmall: boolean;
  place: Place;
  onSignOut: ((everywhere: boolean) => void) | null;
  onShortcuts(): void;
}

/** The rarer actions of the page and of the open chat. */
export function MoreMenu({ isSmall, place, onSignOut, onShortcuts }: MoreMenuProps): ReactNode {
  const { chatId, messageId } = place;
  const [isSharing, setIsSharing] = useState(false);
  const [isExporting, setIsExporting] = useState(false);
  const [isOpened, setIsOpened] = useState(false);
  const isAdmin = useIsAdmin(isOpened);
  return (
    <>
      {!isSmall && chatId !== null && <ShareButton chatId={chatId} onShare={() => setIsSharing(true)} />}
      <MenuButton
        align="end"
        onOpen={() => setIsOpened(true)}
        trigger={<IconButton label="More actions" icon={Ellipsis} />}
      >
        {isSmall && <SmallScreenActions place={place} />}
        {(isSmall || chatId !== null) && (
          <MenuAction icon={Download} onClick={chooseImport}>
            Import
          </MenuAction>
        )}
        {chatId !== null && (
          <ChatActions chatId={chatId} onExport={() => setIsExporting(true)} onShare={() => setIsSharing(true)} />
        )}
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
      {isExporting && chatId !== null && <ExportDialog chatIds={[chatId]} onClose={() => setIsExporting(false)} />}
      {isSharing && chatId !== null && (
        <SharingDialog chatId={chatId} messageId={messageId} onClose={() => setIsSharing(false)} />
      )}
    </>
  );
}

/** The dialog changes nothing for others than the owner: the menu opens it for them. */
function ShareButton({ chatId, onShare }: { chatId: string; onShare(): void }): ReactNode {
  const may = useRights(chatId);
  return (
    may('OWNER') && (
      <Button icon={Share2} onClick={onShare}>
        Share
      </Button>
    )
  );
}

/** The views and actions that the header of a larger screen has. */
function SmallScreenActions({ place }: { place: Place }): ReactNode {
  const [theme, toggleTheme] = useTheme();
  return (
    <>
      {place.chatId !== null &&
        VIEWS.filter((view) => view !== 'split').map((view) => (
          <MenuLink key={view} icon={VIEW_ICONS[view]} href={linkOfView(view, place)}>
            {viewName(view)}
          </MenuLink>
        ))}
      {place.chatId !== null && <MenuSeparator />}
      <MenuAction icon={theme === 'dark' ? Sun : Moon} onClick={toggleTheme}>
        {theme === 'dark' ? 'Light colours' : 'Dark colours'}
      </MenuAction>
      <MenuSeparator />
    </>
  );
}

interface ChatActionsProps {
  chatId: string;
  onExport(): void;
  onShare(): void;
}

function ChatActions({ chatId, onExport, onShare }: ChatActionsProps): ReactNode {
  const fork = useFork();
  const rename = useRename();
  const title = useThreadState(chatId, ({ chat }) => chat?.title ?? null);
  const remove = useDeletion();
  const may = useRights(chatId);
  return (
    <>
      <MenuAction icon={Upload} onClick={onExport}>
        Export
      </MenuAction>
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
