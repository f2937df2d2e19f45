import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import './popups.css';

interface ModalProps {
  title: string;
  isOpen: boolean;
  /** A class for another size. */
  className?: string;
  onClose(): void;
  children: ReactNode;
}

/** A dialog with a title and a button that closes it. */
export function Modal({ title, isOpen, className = '', onClose, children }: ModalProps): ReactNode {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={`dialog ${className}`}>
          <header className="row">
            <Dialog.Title dir="auto">{title}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label="Close">
              <X aria-hidden />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
