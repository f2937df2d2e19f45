import { Menu } from '@base-ui/react/menu';
import type { Message, SiblingInfo, ThreadStore } from '@parley/client';
import { Rewind } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import {
  Bookmark,
  Copy,
  CornerDownRight,
  Ellipsis,
  GitBranch,
  GitCompareArrows,
  GitFork,
  Info,
  Link,
  Pencil,
  RefreshCw,
  Share2,
} from 'lucide-react';
import { useState, type ReactNode, type Ref } from 'react';
import { ask } from '../design/ask.js';
import { IconButton } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { MenuAction, MenuLink, SharedMenu } from '../design/menu.js';
import { GraphiqlLink } from '../graphiql-link.js';
import { lazyPart } from '../lazy-part.js';
import { linkTo } from '../place.js';
import { useRights } from '../role.js';
import { useFork } from '../sharing/fork.js';
import { act } from './act.js';

const SharingDialog = lazyPart(() => import('../sharing/sharing-dialog.js'));

export interface MessageTarget {
  message: Message;
  siblings: SiblingInfo | null;
}

/** One menu for all messages: a long thread has many. */
const messageMenu = Menu.createHandle<MessageTarget>();

interface ActionsProps extends MessageTarget {
  store: ThreadStore;
  /** The button that edits, which has the focus after the form. */
  editButton: Ref<HTMLButtonElement>;
  onEdit(): void;
  onDetails(message: Message): void;
  /** Receives refused writes. */
  onRefused(message: string): void;
}

/** The icons below a message. */
export function MessageActions(props: ActionsProps): ReactNode {
  const { message, siblings, store, editButton, onEdit, onDetails, onRefused } = props;
  const { id, name, text } = message;
  const parley = useParley();
  const { chatId } = store;
  const may = useRights(chatId);
  const branch = async () => {
    const branchName = await ask({ title: 'Branch here', label: 'Name of the branch' });
    if (branchName === null) return;
    await parley
      .run(Rewind, { input: { chatId, at: { message: id }, branchName } })
      .catch((reason: Error) => onRefused(reason.message));
  };
  const checkpoint = async () => {
    const given = await ask({ title: 'Checkpoint', label: 'Name of the checkpoint' });
    if (given !== null) await act(store.createCheckpoint(given, id), onRefused);
  };
  return (
    <div className="actions" role="group" aria-label={`Actions for this message of ${name}`}>
      <IconButton size="small" label="Copy" icon={Copy} onClick={() => void copyText(text)} />
      {may('COMMENTER') && (
        <IconButton
          ref={editButton}
          size="small"
          label={name === 'user' ? 'Edit' : 'Another version'}
          icon={Pencil}
          onClick={onEdit}
        />
      )}
      {may('WRITER') && (
        <>
          <IconButton size="small" label="Branch here" icon={GitBranch} onClick={() => void branch()} />
          <IconButton size="small" label="Checkpoint" icon={Bookmark} onClick={() => void checkpoint()} />
        </>
      )}
      <IconButton size="small" label="Details" icon={Info} onClick={() => onDetails(message)} />
      <Menu.Trigger
        handle={messageMenu}
        payload={{ message, siblings }}
        className="icon-button"
        data-size="small"
        aria-label="More for this message"
      >
        <Ellipsis aria-hidden />
      </Menu.Trigger>
    </div>
  );
}

/** The menu of the last icon. */
export function MessageMenu({ store, onRefused }: { store: ThreadStore; onRefused(message: string): void }): ReactNode {
  const { chatId } = store;
  const may = useRights(chatId);
  const fork = useFork();
  const [sharedId, setSharedId] = useState<string | null>(null);
  return (
    <>
      <SharedMenu handle={messageMenu}>
        {({ message: { id, name, parentId }, siblings }) => {
          const otherId = siblings?.nextId ?? siblings?.previousId ?? null;
          return (
            <>
              {may('WRITER') && name === 'assistant' && parentId !== null && (
                <MenuAction icon={RefreshCw} onClick={() => void act(store.rewind(parentId), onRefused)}>
                  Regenerate
                </MenuAction>
              )}
              {may('WRITER') && (
                <MenuAction icon={CornerDownRight} onClick={() => void act(store.rewind(id), onRefused)}>
                  Continue from here
                </MenuAction>
              )}
              {otherId !== null && (
                <MenuLink icon={GitCompareArrows} href={linkTo({ chatId, view: 'compare', messageId: id, otherId })}>
                  Compare the versions
                </MenuLink>
              )}
              <MenuAction
                icon={Link}
                onClick={() => void copyText(new URL(linkTo({ chatId, messageId: id }), location.href).href)}
              >
                Copy link
              </MenuAction>
              {may('OWNER') && (
                <MenuAction icon={Share2} onClick={() => setSharedId(id)}>
                  Share up to here
                </MenuAction>
              )}
              <MenuAction icon={GitFork} onClick={() => void fork(chatId, id)}>
                Fork from here
              </MenuAction>
              <GraphiqlLink place={{ chatId, messageId: id }} />
            </>
          );
        }}
      </SharedMenu>
      {sharedId !== null && <SharingDialog chatId={chatId} messageId={sharedId} onClose={() => setSharedId(null)} />}
    </>
  );
}
