import { Menu } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import './popups.css';

interface MenuButtonProps {
  /** The button that opens the menu: a Button, IconButton or any other `<button>`. */
  trigger: ReactElement<Record<string, unknown>>;
  align?: 'start' | 'end';
  /** Called before the menu opens: to read its contents. */
  onOpen?(): void;
  children: ReactNode;
}

/** A button with a menu of MenuAction, MenuLink, MenuGroup and MenuSeparator. */
export function MenuButton({ trigger, align = 'start', onOpen, children }: MenuButtonProps): ReactNode {
  return (
    <Menu.Root modal={false} onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner className="layer" sideOffset={6} align={align}>
          <Menu.Popup className="menu panel popup">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface ItemProps {
  icon?: LucideIcon;
  /** A short text at the end, such as a count or a shortcut. */
  detail?: string | undefined;
  children: ReactNode;
}

export function MenuAction({
  icon: Icon,
  detail,
  children,
  tone,
  ...rest
}: ItemProps & {
  tone?: 'danger';
  title?: string;
  disabled?: boolean;
  /** `true` for the current choice of a list. */
  'aria-current'?: boolean | undefined;
  onClick(): void;
}): ReactNode {
  return (
    <Menu.Item className="menu-item row" data-tone={tone} {...rest}>
      {Icon && <Icon aria-hidden />}
      <span dir="auto" className="ellipsis">
        {children}
      </span>
      {detail !== undefined && <small>{detail}</small>}
    </Menu.Item>
  );
}

export function MenuLink({
  icon: Icon,
  detail,
  children,
  ...rest
}: ItemProps & { href: string; target?: '_blank'; rel?: string }): ReactNode {
  return (
    <Menu.LinkItem className="menu-item row" closeOnClick {...rest}>
      {Icon && <Icon aria-hidden />}
      <span dir="auto" className="ellipsis">
        {children}
      </span>
      {detail !== undefined && <small>{detail}</small>}
    </Menu.LinkItem>
  );
}

export function MenuGroup({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <Menu.Group>
      <Menu.GroupLabel className="menu-label">{label}</Menu.GroupLabel>
      {children}
    </Menu.Group>
  );
}

/** A menu that several buttons open, each with its own payload. */
export function SharedMenu<Payload>({
  handle,
  children,
}: {
  handle: Menu.Handle<Payload>;
  /** The items of the button that opened it. */
  children(payload: Payload): ReactNode;
}): ReactNode {
  return (
    <Menu.Root handle={handle} modal={false}>
      {({ payload }) => (
        <Menu.Portal>
          <Menu.Positioner className="layer" sideOffset={4} align="end">
            <Menu.Popup className="menu panel popup">{payload !== undefined && children(payload)}</Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      )}
    </Menu.Root>
  );
}

export const MenuSeparator = Menu.Separator;
