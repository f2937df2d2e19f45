import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';
import './popups.css';

export interface Tip {
  label: string;
  /** The keys that do the same; undefined for none. */
  shortcut?: string | undefined;
}

/** Connects all triggers to one tooltip: a long thread has hundreds of buttons. */
export const tips: Tooltip.Handle<Tip> = Tooltip.createHandle<Tip>();

/** The tooltip of the trigger that has the pointer or the focus. */
export function SharedTooltip(): ReactNode {
  return (
    <Tooltip.Root handle={tips}>
      {({ payload }) => (
        <Tooltip.Portal>
          <Tooltip.Positioner sideOffset={6} className="layer">
            <Tooltip.Popup className="tooltip row">
              {payload?.label}
              {payload?.shortcut !== undefined && <kbd>{payload.shortcut}</kbd>}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      )}
    </Tooltip.Root>
  );
}
