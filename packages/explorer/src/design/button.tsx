import type { LucideIcon } from 'lucide-react';
import { Tooltip } from '@base-ui/react/tooltip';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { tips } from './tooltip.js';
import './button.css';

interface ButtonProps extends ComponentPropsWithRef<'button'> {
  icon?: LucideIcon;
  /** `accent` for the main action of a view, `danger` for one that deletes. */
  tone?: 'plain' | 'accent' | 'danger';
}

/** A button with a visible name. */
export function Button({ icon: Icon, tone = 'plain', children, ...rest }: ButtonProps): ReactNode {
  return (
    <button type="button" className="button" data-tone={tone} {...rest}>
      {Icon && <Icon aria-hidden />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentPropsWithRef<'button'> {
  /** The name of the button, which its tooltip shows. */
  label: string;
  icon: LucideIcon;
  /** The keys that do the same, such as `⌘K`. */
  shortcut?: string;
  size?: 'small' | 'medium';
}

/** A button with an icon and a tooltip. */
export function IconButton(props: IconButtonProps): ReactNode {
  const { label, icon: Icon, shortcut, size = 'medium', disabled = false, ...rest } = props;
  return (
    <Tooltip.Trigger
      handle={tips}
      // The trigger's own property disables the tooltip only.
      render={<button disabled={disabled} />}
      payload={{ label, shortcut }}
      type="button"
      className="icon-button"
      data-size={size}
      aria-label={label}
      {...rest}
    >
      <Icon aria-hidden />
    </Tooltip.Trigger>
  );
}
