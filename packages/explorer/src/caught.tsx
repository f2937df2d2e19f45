import { Component, type ReactNode } from 'react';
import { words } from './words.js';

interface CaughtProps {
  /** Elsewhere it is tried anew. */
  place: string;
  children: ReactNode;
}

interface CaughtState {
  place: string;
  /** Why; null as long as nothing has failed. */
  failed: string | null;
}

/** A room that fails, or whose code cannot be loaded, says so, and leaves the rest of the page as it is. */
export class Caught extends Component<CaughtProps, CaughtState> {
  override state: CaughtState = { place: this.props.place, failed: null };

  static getDerivedStateFromError(error: unknown): { failed: string } {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps({ place }: CaughtProps, state: CaughtState): CaughtState | null {
    return place === state.place ? null : { place, failed: null };
  }

  override render(): ReactNode {
    if (this.state.failed === null) return this.props.children;
    return (
      <p role="alert">
        {words.broken} {this.state.failed} <button onClick={() => location.reload()}>{words.again}</button>
      </p>
    );
  }
}
