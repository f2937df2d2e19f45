import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import './placeholder.css';

/** The outline of content that is being read. @param rows the number of its lines */
export function Skeleton({ rows = 6 }: { rows?: number }): ReactNode {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading…</span>
      {Array.from({ length: rows }, (_, n) => (
        <span key={n} aria-hidden />
      ))}
    </div>
  );
}

interface EmptyStateProps {
  icon: LucideIcon;
  text: string;
  /** The next action. */
  children?: ReactNode;
}

/** Replaces an empty list or view. */
export function EmptyState({ icon: Icon, text, children }: EmptyStateProps): ReactNode {
  return (
    <div className="empty">
      <Icon aria-hidden />
      <p className="hint">{text}</p>
      {children}
    </div>
  );
}
