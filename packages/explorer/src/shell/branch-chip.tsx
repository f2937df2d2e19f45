import { useParley, useThread } from '@parley/client/react';
import { Bookmark, ChevronDown, GitBranch, Settings2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { MenuAction, MenuButton, MenuGroup, MenuLink, MenuSeparator } from '../design/menu.js';
import { useLabeled, useReadLabels } from '../branch-labels/use-branch-labels.js';
import { notify } from '../design/toast.js';
import { ReadBranchLengths } from '../generated/operations.js';
import { lazyPart } from '../lazy-part.js';
import { linkTo } from '../place.js';
import { useSwitchBranch } from '../switch-branch.js';
import { counted } from '../words.js';

const BranchesDialog = lazyPart(() => import('./branches-dialog.js'));

/** The most branches and checkpoints that the menu lists; the dialog lists all. */
const MAX_LISTED = 30;

/** The shown branch with its length, and the menu of the others. */
export function BranchChip({ chatId }: { chatId: string }): ReactNode {
  const parley = useParley();
  const { store, chat, branch: shown, branches: unlabeled, checkpoints, thread, hasNewer } = useThread(chatId);
  const last = thread.findLast(({ status }) => status === undefined);
  useReadLabels(chatId, unlabeled, last !== undefined);
  const branches = useLabeled(unlabeled);
  const branch = branches.find(({ id }) => id === shown?.id);
  const [lengths, setLengths] = useState<ReadonlyMap<string, number>>(new Map());
  const [isManaging, setIsManaging] = useState(false);
  const switchTo = useSwitchBranch(store, (text) => notify({ text, isUrgent: true }));
  if (chat === null) return null;
  const readLengths = () => {
    parley.run(ReadBranchLengths, { chatId }).then(
      ({ chat: found }) =>
        setLengths(
          new Map(found?.branches.edges.map(({ node: { id, head } }) => [id, head === null ? 0 : head.depth + 1])),
        ),
      // The menu works without them.
      () => {},
    );
  };
  return (
    <>
      <MenuButton
        onOpen={readLengths}
        trigger={
          <button type="button" className="chip branch-chip">
            <GitBranch aria-hidden />
            <span dir="auto" className="ellipsis" title={branch?.name}>
              {branch?.label ?? 'a version without a branch'}
            </span>
            {last !== undefined && !hasNewer && <small>{counted(last.depth + 1, 'message')}</small>}
            <ChevronDown aria-hidden />
          </button>
        }
      >
        <MenuGroup label="Branches">
          {branches.slice(0, MAX_LISTED).map((each) => (
            <MenuAction
              key={each.id}
              icon={GitBranch}
              title={each.name}
              aria-current={each.id === branch?.id || undefined}
              detail={lengths.get(each.id)?.toLocaleString('en')}
              onClick={() => switchTo(each)}
            >
              {each.label}
            </MenuAction>
          ))}
        </MenuGroup>
        {checkpoints.length > 0 && (
          <MenuGroup label="Checkpoints">
            {checkpoints.slice(0, MAX_LISTED).map(({ name: each, messageId }) => (
              <MenuLink key={each} icon={Bookmark} href={linkTo({ chatId, messageId })}>
                {each}
              </MenuLink>
            ))}
          </MenuGroup>
        )}
        <MenuSeparator />
        <MenuAction icon={Settings2} onClick={() => setIsManaging(true)}>
          Manage branches and checkpoints
        </MenuAction>
      </MenuButton>
      {isManaging && <BranchesDialog chatId={chatId} onClose={() => setIsManaging(false)} />}
    </>
  );
}
