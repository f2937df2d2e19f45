import type { SiblingInfo } from '@parley/client';
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface VersionsProps {
  siblings: SiblingInfo;
  /** Switches to another version. */
  onSwitch(messageId: string): void;
}

/** The arrows to the other versions of a message. */
export function Versions({ siblings, onSwitch }: VersionsProps): ReactNode {
  const { siblingIndex, siblingCount, previousId, nextId } = siblings;
  const place = `${siblingIndex + 1} of ${siblingCount}`;
  return (
    <span className="versions" role="group" aria-label={`Version ${place}`}>
      <Arrow to={previousId} label="Previous version" icon={ChevronLeft} onSwitch={onSwitch} />
      <span>{place}</span>
      <Arrow to={nextId} label="Next version" icon={ChevronRight} onSwitch={onSwitch} />
    </span>
  );
}

interface ArrowProps {
  to: string | null;
  label: string;
  icon: LucideIcon;
  onSwitch(messageId: string): void;
}

function Arrow({ to, label, icon: Icon, onSwitch }: ArrowProps): ReactNode {
  return (
    <button type="button" aria-label={label} disabled={to === null} onClick={() => to !== null && onSwitch(to)}>
      <Icon aria-hidden />
    </button>
  );
}
