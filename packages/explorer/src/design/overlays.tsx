import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';
import { AskDialog } from './ask.js';
import { Toasts } from './toast.js';
import { SharedTooltip } from './tooltip.js';

/** Adds tooltips, dialogs and toasts to the page. The page's policy allows no style elements. */
export function Overlays({ children }: { children: ReactNode }): ReactNode {
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={400}>
        {children}
        <SharedTooltip />
        <AskDialog />
        <Toasts />
      </Tooltip.Provider>
    </CSPProvider>
  );
}
