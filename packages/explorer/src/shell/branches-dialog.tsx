import { useThread } from '@parley/client/react';
import { Bookmark, GitBranch } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { Modal } from '../design/modal.js';
import { linkTo } from '../place.js';
import { queryOf } from '../requests/query-of.js';
import { useRights } from '../role.js';
import { useSwitchBranch } from '../switch-branch.js';
import { TextPrompt } from '../text-prompt.js';
import { act } from '../act.js';
import { counted } from '../words.js';
import './branches-dialog.css';

/** The branches and checkpoints of a chat: switch, rename, compare, restore and delete. */
export default function BranchesDialog({ chatId, onClose }: { chatId: string; onClose(): void }): ReactNode {
  const { store, branches, checkpoints, branch: shown } = useThread(chatId);
  const [refused, setRefused] = useState('');
  const switchTo = useSwitchBranch(store, setRefused);
  const mayWrite = useRights(chatId)('WRITER');
  return (
    <Modal
      title={`${counted(branches.length, 'branch', 'branches')}, ${counted(checkpoints.length, 'checkpoint')}`}
      isOpen
      className="is-wide"
      onClose={onClose}
    >
      {refused !== '' && <p role="alert">{refused}</p>}
      <ul className="dialog-list branches" aria-label="Branches">
        {branches.map((branch) => {
          const { id, name, label, headId, isActive } = branch;
          return (
            <li key={id} aria-current={id === shown?.id ? 'true' : undefined}>
              <span>
                <GitBranch aria-hidden />
                <bdi title={name}>{label}</bdi> {isActive && <small>active</small>}
              </span>
              {(mayWrite ? !isActive : id !== shown?.id) && (
                <Button onClick={() => switchTo(branch)}>{mayWrite ? 'Switch' : 'Show'}</Button>
              )}
              {!isActive && headId !== null && (
                <a className="button" href={linkTo({ chatId, view: 'compare', messageId: headId })} onClick={onClose}>
                  Compare
                </a>
              )}
              <a className="button" href={queryOf({ chatId, branch: name })} target="_blank" rel="noopener">
                GraphiQL
              </a>
              {mayWrite && (
                <TextPrompt
                  action="Rename"
                  label="Name of the branch"
                  value={name}
                  onAnswer={(newName) => void act(store.renameBranch(name, newName), setRefused)}
                />
              )}
              {mayWrite && !isActive && (
                <TextPrompt
                  action="Delete"
                  label={`Type ${name} to delete it`}
                  expected={name}
                  onAnswer={() => void act(store.deleteBranch(name), setRefused)}
                />
              )}
            </li>
          );
        })}
        {checkpoints.map(({ name, messageId }) => (
          <li key={`checkpoint ${name}`}>
            <a href={linkTo({ chatId, messageId })} onClick={onClose}>
              <Bookmark aria-hidden />
              <bdi>{name}</bdi>
            </a>
            {mayWrite && (
              <>
                <Button onClick={() => void act(store.restoreCheckpoint(name), setRefused)}>Restore</Button>
                <Button onClick={() => void act(store.deleteCheckpoint(name), setRefused)}>Delete</Button>
              </>
            )}
          </li>
        ))}
      </ul>
    </Modal>
  );
}
