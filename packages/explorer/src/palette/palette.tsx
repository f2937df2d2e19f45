import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useChats, useSearch, useThread } from '@parley/client/react';
import { Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useIsAdmin } from '../admin/use-is-admin.js';
import { useLabeled } from '../branch-labels/use-branch-labels.js';
import { useNewChat } from '../chats/chat-list.js';
import { chatTitle, useFirstWords } from '../chats/chat-title.js';
import { useDeletion, useKept } from '../chats/deletion.js';
import { useRename } from '../chats/rename.js';
import { useTitled } from '../chats/titled.js';
import { useTheme } from '../design/theme.js';
import { copyText } from '../design/copy.js';
import { notify } from '../design/toast.js';
import type { Place } from '../place.js';
import { print } from '../print.js';
import { useFork } from '../sharing/fork.js';
import { useSwitchBranch } from '../switch-branch.js';
import { chooseFolder, chooseImport } from '../transfer/choose.js';
import type { Command, PageDialog } from './action-commands.js';
import { commandGroups, type CommandGroup, type PaletteContent } from './commands.js';
import { marked } from './marked.js';
import './palette.css';

/** The number of messages that the palette lists. */
const MAX_HITS = 8;

interface PaletteProps {
  place: Place;
  /** Null without a session. */
  onSignOut: ((everywhere: boolean) => void) | null;
  onDialog(dialog: PageDialog): void;
  onClose(): void;
}

/** Finds chats, messages, branches and actions, and runs them. */
export default function Palette(props: PaletteProps): ReactNode {
  const { chatId } = props.place;
  const [query, setQuery] = useState('');
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label="Command palette">
          {chatId === null ? (
            <Commands {...props} {...NO_CHAT} query={query} onQuery={setQuery} />
          ) : (
            <CommandsOfChat {...props} chatId={chatId} query={query} onQuery={setQuery} />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const NO_CHAT = { branches: [], checkpoints: [], role: null, title: null, switchBranch: () => {} };

interface QueryProps extends PaletteProps {
  query: string;
  onQuery(query: string): void;
}

function CommandsOfChat({ chatId, ...props }: QueryProps & { chatId: string }): ReactNode {
  const { store, branches: unlabeled, checkpoints, chat } = useThread(chatId);
  const branches = useLabeled(unlabeled);
  const switchBranch = useSwitchBranch(store, (text) => notify({ text, isUrgent: true }));
  const { viewerRole: role = null, title = null } = chat ?? {};
  return <Commands {...props} {...{ branches, checkpoints, role, title, switchBranch }} />;
}

interface CommandsProps extends QueryProps, Pick<PaletteContent, 'branches' | 'checkpoints' | 'role' | 'switchBranch'> {
  /** The open chat's title. */
  title: string | null;
}

function Commands(props: CommandsProps): ReactNode {
  const { place, query, onQuery, branches, checkpoints, switchBranch, role, title, onSignOut, onDialog, onClose } =
    props;
  const { chatId } = place;
  const { chats } = useChats();
  const kept = useKept(chats);
  const first = useFirstWords(kept);
  const titled = useTitled(query).filter(({ id }) => !kept.some((chat) => chat.id === id));
  const { hits } = useSearch(query, { first: MAX_HITS });
  const [theme, toggleTheme] = useTheme();
  const [create, fork, rename, remove] = [useNewChat(), useFork(), useRename(), useDeletion()];
  const isAdmin = useIsAdmin(true);
  /** For actions of an open chat. */
  const ofChat = (action: (chatId: string) => Promise<void>) => () => void (chatId !== null && action(chatId));
  const groups = commandGroups({
    ...{ query, place, theme, branches, checkpoints, switchBranch, role, isAdmin },
    hits: query.trim() === '' ? [] : hits,
    titled,
    chats: kept.map((chat) => ({ chat, title: chatTitle(chat, first.get(chat.id)) })),
    actions: {
      ...{ toggleTheme, print, openDialog: onDialog, signOut: onSignOut },
      createChat: () => void create(),
      importFiles: chooseImport,
      importFolder: chooseFolder,
      openGraphiql: () =>
        void import('../requests/query-of.js').then(({ queryOf }) => window.open(queryOf(place), '_blank', 'noopener')),
      copyLink: () => void copyText(location.href),
      fork: ofChat((id) => fork(id, null)),
      rename: ofChat((id) => rename(id, title)),
      remove: ofChat((id) => remove([id])),
    },
  });
  const run = (command: Command) => {
    onClose();
    command.run();
  };
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      filter={null}
      value={query}
      onValueChange={(value, { reason }) => reason !== 'item-press' && onQuery(value)}
      itemToStringValue={({ label }: Command) => label}
      autoHighlight="always"
      keepHighlight
    >
      <div className="palette-input row">
        <Search aria-hidden />
        <Autocomplete.Input
          aria-label="Search chats, messages, branches and actions"
          placeholder="Search chats, messages, branches and actions"
        />
      </div>
      <Autocomplete.Empty className="palette-empty">{groups.length === 0 && 'Nothing matches.'}</Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {({ value, items }: CommandGroup) => (
          <Autocomplete.Group key={value} items={items}>
            <Autocomplete.GroupLabel className="menu-label">{value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.value}
                  value={command}
                  className="menu-item row"
                  title={command.title}
                  onClick={() => run(command)}
                >
                  <command.icon aria-hidden />
                  <span dir="auto" className="ellipsis">
                    {marked(command.label, query)}
                  </span>
                  {command.detail !== undefined && (
                    <small dir="auto" className="ellipsis">
                      {command.detail}
                    </small>
                  )}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      <p className="palette-keys row">
        <kbd>↑</kbd> <kbd>↓</kbd> to select <kbd>↵</kbd> to open <kbd>Esc</kbd> to close
      </p>
    </Autocomplete.Root>
  );
}
