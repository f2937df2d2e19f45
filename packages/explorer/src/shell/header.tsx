import { useChats, useThreadState } from '@parley/client/react';
import { ChevronLeft, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import { useTheme } from '../design/theme.js';
import { linkOfView, linkTo, PAGE_NAMES, SMALL, useMedia, viewName, VIEWS, type Place } from '../place.js';
import { Import } from '../transfer/import.js';
import { BranchChip } from './branch-chip.js';
import { MoreMenu } from './more-menu.js';
import { VIEW_ICONS } from './view-icons.js';
import './header.css';

interface HeaderProps {
  place: Place;
  /** Null without a session: the user cannot sign out. */
  onSignOut: ((everywhere: boolean) => void) | null;
  onShortcuts(): void;
}

/** The bar above a view: its chat, the views, and the actions of the page. */
export function Header({ place, onSignOut, onShortcuts }: HeaderProps): ReactNode {
  const { chatId, page } = place;
  const [theme, toggleTheme] = useTheme();
  const isSmall = useMedia(SMALL);
  // Without a token, a server that requires one refuses the list first.
  const isOpening = useChats().status === 'opening';
  return (
    <header className="topbar row">
      <a className="icon-button back" href={linkTo({})} aria-label="Chats">
        <ChevronLeft aria-hidden />
      </a>
      <div className="topbar-title row">
        {chatId !== null ? (
          !isOpening && (
            <>
              <Title chatId={chatId} />
              <BranchChip key={chatId} chatId={chatId} />
            </>
          )
        ) : (
          <h1 className="ellipsis">{page === null ? 'Chats' : PAGE_NAMES[page]}</h1>
        )}
      </div>
      {chatId !== null && <Views place={place} chatId={chatId} />}
      <div className="topbar-actions row">
        <Import hasButton={!isSmall && chatId === null} />
        {!isSmall && (
          <IconButton
            label={theme === 'dark' ? 'Light colours' : 'Dark colours'}
            icon={theme === 'dark' ? Sun : Moon}
            onClick={toggleTheme}
          />
        )}
        <MoreMenu isSmall={isSmall} place={place} onSignOut={onSignOut} onShortcuts={onShortcuts} />
      </div>
    </header>
  );
}

function Title({ chatId }: { chatId: string }): ReactNode {
  const chat = useThreadState(chatId, (state) => state.chat);
  return (
    <h1 dir="auto" className="ellipsis">
      {chat === null ? ' ' : (chat.title ?? 'Untitled')}
    </h1>
  );
}

function Views({ place, chatId }: { place: Place; chatId: string }): ReactNode {
  return (
    <nav className="segmented" aria-label="Views">
      {VIEWS.map((view) => {
        const Icon = VIEW_ICONS[view];
        return (
          <a
            key={view}
            href={linkOfView(view, { ...place, chatId })}
            aria-current={view === place.view ? 'page' : undefined}
            data-view={view}
          >
            <Icon aria-hidden />
            <span>{viewName(view)}</span>
          </a>
        );
      })}
    </nav>
  );
}
