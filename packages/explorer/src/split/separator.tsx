import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { readStored, writeStored } from '../browser/stored.js';

/** Percent of one press of an arrow key. */
const STEP = 2;

interface SeparatorProps {
  /** The width of the pane before it, in percent. */
  share: number;
  onChange: (share: number) => void;
}

/** The divider of two panes, for a pointer and for arrow keys. */
export function Separator({ share, onChange }: SeparatorProps): ReactNode {
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent) => {
    const panes = currentTarget.parentElement;
    if (panes === null) return;
    const { left, width } = panes.getBoundingClientRect();
    const isLeftToRight = getComputedStyle(panes).direction === 'ltr';
    const before = (clientX - left) / width;
    onChange(within(100 * (isLeftToRight ? before : 1 - before)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: share - STEP,
      ArrowRight: share + STEP,
      Home: SHARE.min,
      End: SHARE.max,
      Enter: SHARE.initial,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onChange(within(next));
  };
  return (
    <div
      className="separator"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the thread"
      aria-valuenow={Math.round(share)}
      aria-valuemin={SHARE.min}
      aria-valuemax={SHARE.max}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && onPointerMove(event)}
      onDoubleClick={() => onChange(SHARE.initial)}
      onKeyDown={onKeyDown}
    />
  );
}

const SHARE = { min: 25, max: 75, initial: 55 } as const;

const KEY = 'parley-split';

const within = (share: number): number => Math.min(SHARE.max, Math.max(SHARE.min, share));

export function storedShare(): number {
  const stored = readStored(KEY);
  return typeof stored === 'number' ? within(stored) : SHARE.initial;
}

export const storeShare = (share: number): boolean => writeStored(KEY, Number(share.toFixed(1)));
