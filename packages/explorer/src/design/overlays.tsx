import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useQuestion } from './ask.js';
import { Toasts } from './toast.js';
import { SharedTooltip } from './tooltip.js';

const AskDialog = lazy(() => import('./ask-dialog.js'));

/** Adds tooltips, dialogs and toasts to the page. The page's policy allows no style elements. */
export function Overlays({ children }: { children: ReactNode }): ReactNode {
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={400}>
        {children}
        <SharedTooltip />
        <Questions />
        <Toasts />
      </Tooltip.Provider>
    </CSPProvider>
  );
}

/** Stays after the first question, so that the dialog can close. */
function Questions(): ReactNode {
  const [isNeeded, setIsNeeded] = useState(false);
  const isAsked = useQuestion() !== null;
  if (isAsked && !isNeeded) setIsNeeded(true);
  return <Suspense>{isNeeded && <AskDialog />}</Suspense>;
}
