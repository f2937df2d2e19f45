import type { ThreadState } from '@parley/client';
import type { ReactNode } from 'react';
import { linkTo, type View } from '../place.js';

/** The list is an alternative to the canvas, and stays short. */
const MAX_LINKS = 100;

interface BranchLinksProps {
  chatId: string;
  branches: ThreadState['branches'];
  view?: View | undefined;
}

/** Links to the heads of the branches, for keyboards and screen readers: hidden until one has the focus. */
export function BranchLinks({ chatId, branches, view }: BranchLinksProps): ReactNode {
  const links = branches.filter(({ headId }) => headId !== null).slice(0, MAX_LINKS);
  if (links.length === 0) return null;
  return (
    <nav className="branch-links panel" aria-label="Branches of the graph">
      {links.map(({ id, name, headId, isActive }) => (
        <a key={id} href={linkTo({ chatId, messageId: headId, ...(view && { view }) })} dir="auto">
          {isActive ? `${name} (active)` : name}
        </a>
      ))}
    </nav>
  );
}
