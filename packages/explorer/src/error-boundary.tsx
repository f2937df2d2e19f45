import { Component, type ReactNode } from 'react';
import { Button } from './design/button.js';
import { words } from './words.js';

interface ErrorBoundaryProps {
  /** A change of this key retries. */
  place: string;
  children: ReactNode;
}

interface ErrorBoundaryState {
  place: string;
  /** The error; null without one. */
  failed: string | null;
}

/** Shows an error of a view, or of loading its code, and keeps the rest of the page. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { place: this.props.place, failed: null };

  static getDerivedStateFromError(error: unknown): { failed: string } {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps({ place }: ErrorBoundaryProps, state: ErrorBoundaryState): ErrorBoundaryState | null {
    return place === state.place ? null : { place, failed: null };
  }

  override render(): ReactNode {
    if (this.state.failed === null) return this.props.children;
    return (
      <p role="alert">
        {words.broken} {this.state.failed} <Button onClick={() => location.reload()}>{words.again}</Button>
      </p>
    );
  }
}
