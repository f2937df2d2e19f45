import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { GRAPH_KEYS, shortcutName, SHORTCUTS } from '../browser/shortcuts.js';
import './shortcuts.css';

/** The list of all keyboard shortcuts. */
export default function Shortcuts({ onClose }: { onClose(): void }): ReactNode {
  return (
    <Modal title="Keyboard shortcuts" isOpen onClose={onClose}>
      <Keys rows={SHORTCUTS} />
      <h3 className="shortcuts-title">In the graph</h3>
      <Keys rows={GRAPH_KEYS} />
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
