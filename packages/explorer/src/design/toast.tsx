import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import './popups.css';

const toasts = Toast.createToastManager();

interface Notice {
  text: string;
  /** A button in the toast, such as "Undo". */
  action?: { label: string; run(): void };
  /** The time on the screen; 5,000 by default, and 0 until the user closes it. */
  timeoutMs?: number;
  /** Whether it reports a failure: it is announced at once. */
  isUrgent?: boolean;
}

/** Shows a short text above the page. */
export function notify({ text, action, timeoutMs = 5_000, isUrgent = false }: Notice): void {
  const id = toasts.add({
    title: text,
    timeout: timeoutMs,
    priority: isUrgent ? 'high' : 'low',
    ...(isUrgent && { type: 'failure' }),
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          action.run();
          toasts.close(id);
        },
      },
    }),
  });
}

/** The shown toasts. */
export function Toasts(): ReactNode {
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList(): ReactNode {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast row panel popup">
      <Toast.Title data-title="" render={<p />} dir="auto" />
      {toast.actionProps && <Toast.Action className="button" />}
      <Toast.Close className="icon-button" data-size="small" aria-label="Close">
        <X aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
