/** Parts of the page whose code loads when they are first shown. A failure removes nothing else from the page. */
import { Component, lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { Button } from './design/button.js';
import { notify } from './design/toast.js';

interface PartProps {
  /** Called when the part fails. @default the part's own `onClose` */
  onClose?(): void;
  /** Called with the text of a failure, which is then not shown. @default a toast and `onClose`, if the part has it */
  onFailed?(text: string): void;
}

/**
 * A part that loads when it is first shown. After a failure, a part with `onClose` is closed with a toast, and any other
 * shows the reason in its place with a button; the next attempt loads again.
 * @param fallback replaces the part while it loads
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  fallback: ReactNode = null,
): ComponentType<Props & PartProps> {
  // React keeps a rejection: the next attempt needs another component.
  const create = () =>
    lazy(() =>
      load().catch(() => {
        current = create();
        throw new Error('Its code could not be loaded.');
      }),
    );
  let current = create();
  return function LazyPart(props) {
    const [Loaded, setLoaded] = useState(() => current);
    const { onClose } = props;
    const close =
      onClose &&
      ((text: string) => {
        notify({ text, isUrgent: true });
        onClose();
      });
    return (
      <FailureBoundary onFailed={props.onFailed ?? close} onRetry={() => setLoaded(current)}>
        <Suspense fallback={fallback}>
          <Loaded {...props} />
        </Suspense>
      </FailureBoundary>
    );
  };
}

interface BoundaryProps {
  onFailed: PartProps['onFailed'] | undefined;
  onRetry(): void;
  children: ReactNode;
}

class FailureBoundary extends Component<BoundaryProps, { failure: string | null }> {
  override state: { failure: string | null } = { failure: null };

  static getDerivedStateFromError(error: unknown): { failure: string } {
    return { failure: textOf(error) };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFailed?.(textOf(error));
  }

  override render(): ReactNode {
    const { onFailed, onRetry, children } = this.props;
    const { failure } = this.state;
    if (failure === null) return children;
    if (onFailed !== undefined) return null;
    const retry = () => {
      onRetry();
      this.setState({ failure: null });
    };
    return (
      <p role="alert" className="failed-part">
        {failure} <Button onClick={retry}>Try again</Button>
      </p>
    );
  }
}

const textOf = (error: unknown): string =>
  `This part of the page failed. ${error instanceof Error ? error.message : String(error)}`;
