import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { shellWords, shortcutName } from '../shell-words.js';
import { shortcutWords } from './shortcut-words.js';
import './shortcuts.css';

/** The list of all keyboard shortcuts. */
export default function Shortcuts({ onClose }: { onClose(): void }): ReactNode {
  return (
    <Modal title={shellWords.shortcuts} isOpen onClose={onClose}>
      <Keys rows={shortcutWords.shortcutList} />
      <h3 className="shortcuts-title">{shortcutWords.inGraph}</h3>
      <Keys rows={shortcutWords.keys} />
    </Modal>
  );
}

function Keys({ rows }: { rows: readonly (readonly [string, string])[] }): ReactNode {
  return (
    <dl className="shortcuts">
      {rows.map(([keys, effect]) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{shortcutName(key)}</kbd>
            ))}
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
  );
}
