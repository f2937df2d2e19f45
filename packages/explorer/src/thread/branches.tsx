import type { ThreadState, ThreadStore } from '@parley/client';
import type { ReactNode } from 'react';
import { TextPrompt } from '../text-prompt.js';
import { linkTo } from '../place.js';
import { words } from '../words.js';
import { act } from './act.js';

interface BranchesProps extends Pick<ThreadState, 'branches' | 'checkpoints' | 'branch'> {
  store: ThreadStore;
  onRefused(message: string): void;
}

/** The branches and checkpoints of a chat: switch, create, rename and delete. */
export function Branches({ store, branches, checkpoints, branch: shown, onRefused }: BranchesProps): ReactNode {
  const { chatId } = store;
  return (
    <details className="branches">
      <summary>{words.branchesOf(branches.length, checkpoints.length)}</summary>
      <ul>
        {branches.map(({ id, name, headId, isActive }) => (
          <li key={id} aria-current={id === shown?.id ? 'true' : undefined}>
            <span dir="auto">{name}</span> {isActive && <small>{words.active}</small>}
            {!isActive && (
              <button onClick={() => void act(store.switchBranch(name), onRefused)}>{words.switchTo}</button>
            )}
            <TextPrompt
              action={words.rename}
              label={words.nameOf(words.branch)}
              value={name}
              onAnswer={(newName) => void act(store.renameBranch(name, newName), onRefused)}
            />
            {!isActive && (
              <TextPrompt
                action={words.remove}
                label={words.typeToRemove(name)}
                expected={name}
                onAnswer={() => void act(store.deleteBranch(name), onRefused)}
              />
            )}
            {!isActive && headId !== null && (
              <a href={linkTo({ chatId, view: 'compare', messageId: headId })}>{words.compare}</a>
            )}
          </li>
        ))}
        {checkpoints.map(({ name, messageId }) => (
          <li key={`⚑${name}`}>
            <a href={linkTo({ chatId, messageId })} dir="auto">
              ⚑ {name}
            </a>
            <button onClick={() => void act(store.restoreCheckpoint(name), onRefused)}>{words.restore}</button>
            <button onClick={() => void act(store.deleteCheckpoint(name), onRefused)}>{words.remove}</button>
          </li>
        ))}
      </ul>
    </details>
  );
}
