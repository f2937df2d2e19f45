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
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode, type Ref } from 'react';
import { ask } from '../design/ask.js';
import { IconButton } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { MenuAction, MenuGroup, MenuLink, SharedMenu } from '../design/menu.js';
import { GraphiqlLink } from '../graphiql-link.js';
import { lazyPart } from '../lazy-part.js';
import { linkTo, TOUCH, useMedia } from '../place.js';
import { useRights } from '../role.js';
import { useFork } from '../sharing/fork.js';
import { act } from '../act.js';
import { factsOf } from './message-facts.js';

const SharingDialog = lazyPart(() => import('../sharing/sharing-dialog.js'));

interface MessageTarget {
  message: Message;
  siblings: SiblingInfo | null;
  onEdit(): void;
}

/** One menu for all messages: a long thread has many. */
const messageMenu = Menu.createHandle<MessageTarget>();

/** @param item the message in the list */
export function openMessageMenu(item: Element | null): void {
  const trigger = item?.querySelector('.message-more');
  if (trigger) messageMenu.open(trigger.id);
}

interface Action {
  label: string;
  icon: LucideIcon;
  run(): void;
}

/** The actions of the bar under a message; of the menu, where a tap opens it. */
function useActions(store: ThreadStore, onRefused: (message: string) => void): (target: MessageTarget) => Action[] {
  const parley = useParley();
  const { chatId } = store;
  const may = useRights(chatId);
  const branch = async (messageId: string) => {
    const branchName = await ask({ title: 'Branch here', label: 'Name of the branch' });
    if (branchName === null) return;
    await parley
      .run(Rewind, { input: { chatId, at: { message: messageId }, branchName } })
      .catch((reason: Error) => onRefused(reason.message));
  };
  return ({ message: { id, name, text, parentId }, onEdit }) => [
    { label: 'Copy', icon: Copy, run: () => void copyText(text) },
    ...(may('COMMENTER') ? [{ label: 'Edit', icon: Pencil, run: onEdit }] : []),
    ...(may('WRITER') && name === 'assistant' && parentId !== null
      ? [{ label: 'Regenerate', icon: RefreshCw, run: () => void act(store.rewind(parentId), onRefused) }]
      : []),
    ...(may('WRITER') ? [{ label: 'Branch here', icon: GitBranch, run: () => void branch(id) }] : []),
  ];
}

interface ActionsProps extends MessageTarget {
  store: ThreadStore;
  /** The button of the menu, which has the focus after the edit form. */
  menuButton: Ref<HTMLButtonElement>;
  /** Receives refused writes. */
  onRefused(message: string): void;
}

/** The icons below a message. */
export function MessageActions({ store, menuButton, onRefused, ...target }: ActionsProps): ReactNode {
  const actions = useActions(store, onRefused)(target);
  return (
    <div className="actions panel" role="group" aria-label="Actions for the message">
      {actions.map(({ label, icon, run }) => (
        <IconButton key={label} size="small" label={label} icon={icon} onClick={run} />
      ))}
      <Menu.Trigger
        ref={menuButton}
        handle={messageMenu}
        payload={target}
        id={`more-${target.message.id}`}
        className="icon-button message-more"
        data-size="small"
        aria-label="More for this message"
      >
        <Ellipsis aria-hidden />
      </Menu.Trigger>
    </div>
  );
}

interface MenuProps {
  store: ThreadStore;
  onDetails(message: Message): void;
  onRefused(message: string): void;
}

/** The menu of the last icon; on touch screens, with all actions. */
export function MessageMenu({ store, onDetails, onRefused }: MenuProps): ReactNode {
  const { chatId } = store;
  const may = useRights(chatId);
  const fork = useFork();
  const isTouch = useMedia(TOUCH);
  const actionsOf = useActions(store, onRefused);
  const [sharedId, setSharedId] = useState<string | null>(null);
  const checkpoint = async (messageId: string) => {
    const given = await ask({ title: 'Checkpoint', label: 'Name of the checkpoint' });
    if (given !== null) await act(store.createCheckpoint(given, messageId), onRefused);
  };
  return (
    <>
      <SharedMenu handle={messageMenu}>
        {(target) => {
          const { message, siblings } = target;
          const { id, name, data, createdAt } = message;
          const otherId = siblings?.nextId ?? siblings?.previousId ?? null;
          const time = new Date(createdAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
          return (
            <>
              {isTouch && (
                <MenuGroup label={[factsOf(data).model ?? name, time].join(', ')}>
                  <div className="menu-tiles">
                    {actionsOf(target).map(({ label, icon, run }) => (
                      <MenuAction key={label} icon={icon} onClick={run}>
                        {label}
                      </MenuAction>
                    ))}
                  </div>
                </MenuGroup>
              )}
              {otherId !== null && (
                <MenuLink icon={GitCompareArrows} href={linkTo({ chatId, view: 'compare', messageId: id, otherId })}>
                  Compare the versions
                </MenuLink>
              )}
              {may('WRITER') && (
                <>
                  <MenuAction icon={CornerDownRight} onClick={() => void act(store.rewind(id), onRefused)}>
                    Continue from here
                  </MenuAction>
                  <MenuAction icon={Bookmark} onClick={() => void checkpoint(id)}>
                    Checkpoint
                  </MenuAction>
                </>
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
              <MenuAction icon={Info} onClick={() => onDetails(message)}>
                Details
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
