import { useThread } from '@parley/client/react';
import { Bookmark, GitBranch } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { Modal } from '../design/modal.js';
import { linkTo } from '../place.js';
import { TextPrompt } from '../text-prompt.js';
import { act } from '../thread/act.js';
import { words } from '../words.js';
import { shellWords } from '../shell-words.js';
import './branches-dialog.css';

/** The branches and checkpoints of a chat: switch, rename, compare, restore and delete. */
export default function BranchesDialog({ chatId, onClose }: { chatId: string; onClose(): void }): ReactNode {
  const { store, branches, checkpoints, branch: shown } = useThread(chatId);
  const [refused, setRefused] = useState('');
  return (
    <Modal title={words.branchesOf(branches.length, checkpoints.length)} isOpen className="is-wide" onClose={onClose}>
      {refused !== '' && <p role="alert">{refused}</p>}
      <ul className="dialog-list branches" aria-label={shellWords.branches}>
        {branches.map(({ id, name, headId, isActive }) => (
          <li key={id} aria-current={id === shown?.id ? 'true' : undefined}>
            <span>
              <GitBranch aria-hidden />
              <bdi>{name}</bdi> {isActive && <small>{words.active}</small>}
            </span>
            {!isActive && (
              <Button onClick={() => void act(store.switchBranch(name), setRefused)}>{words.switchTo}</Button>
            )}
            {!isActive && headId !== null && (
              <a className="button" href={linkTo({ chatId, view: 'compare', messageId: headId })} onClick={onClose}>
                {words.compare}
              </a>
            )}
            <TextPrompt
              action={words.rename}
              label={words.nameOf(words.branch)}
              value={name}
              onAnswer={(newName) => void act(store.renameBranch(name, newName), setRefused)}
            />
            {!isActive && (
              <TextPrompt
                action={words.remove}
                label={words.typeToRemove(name)}
                expected={name}
                onAnswer={() => void act(store.deleteBranch(name), setRefused)}
              />
            )}
          </li>
        ))}
        {checkpoints.map(({ name, messageId }) => (
          <li key={`checkpoint ${name}`}>
            <a href={linkTo({ chatId, messageId })} onClick={onClose}>
              <Bookmark aria-hidden />
              <bdi>{name}</bdi>
            </a>
            <Button onClick={() => void act(store.restoreCheckpoint(name), setRefused)}>{words.restore}</Button>
            <Button onClick={() => void act(store.deleteCheckpoint(name), setRefused)}>{words.remove}</Button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
