import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { useState, type ReactNode } from 'react';
import { lazyPart } from '../lazy-part.js';
import { useQuestion } from './ask.js';
import { Toasts } from './toast.js';
import { SharedTooltip } from './tooltip.js';

const AskDialog = lazyPart(() => import('./ask-dialog.js'));

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
  const asked = useQuestion();
  if (asked !== null && !isNeeded) setIsNeeded(true);
  if (!isNeeded) return null;
  const cancel = () => {
    asked?.answer(null);
    setIsNeeded(false);
  };
  return <AskDialog onClose={cancel} />;
}
