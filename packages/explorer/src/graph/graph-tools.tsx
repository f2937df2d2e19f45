import { ChevronsDownUp, ChevronsUpDown, CircleQuestionMark, Maximize, Minus, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import type { Position, Scene } from './scene/scene.js';
import { GRAPH_KEYS } from '../browser/shortcuts.js';

/** The meaning of shapes and lines. */
const SHAPES = [
  ['○ ●', 'user, assistant'],
  ['■ ◆', 'system, tool'],
  ['┈', 'from a source'],
] as const;

interface GraphToolsProps {
  scene: Scene;
  selected: Position | null;
  hasHelp: boolean;
  zoom: (factor: number) => void;
  fit: () => void;
  onHelp: () => void;
  onToggle: (position: Position) => void;
}

/** The buttons of the graph, and the list of its keys and shapes. */
export function GraphTools({ scene, selected, hasHelp, zoom, fit, onHelp, onToggle }: GraphToolsProps): ReactNode {
  const segment = selected === null ? undefined : scene.segments[selected.n];
  const isClosed = selected?.at === 'inside' || segment?.collapsedCount !== undefined;
  return (
    <>
      <div className="tools">
        {selected !== null && (
          <IconButton
            icon={isClosed ? ChevronsUpDown : ChevronsDownUp}
            label={isClosed ? 'Expand' : 'Collapse this branch'}
            shortcut="Space"
            onClick={() => onToggle(selected)}
          />
        )}
        <IconButton icon={Plus} label="Zoom in" shortcut="+" onClick={() => zoom(1.25)} />
        <IconButton icon={Minus} label="Zoom out" shortcut="−" onClick={() => zoom(0.8)} />
        <IconButton icon={Maximize} label="Fit" shortcut="0" onClick={fit} />
        <IconButton icon={CircleQuestionMark} label="Keys" shortcut="?" aria-expanded={hasHelp} onClick={onHelp} />
      </div>
      {hasHelp && (
        <dl className="keys panel popup">
          {[...GRAPH_KEYS, ...SHAPES].map(([key, action]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{action}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
