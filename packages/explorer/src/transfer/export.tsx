import { Upload } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import { lazyPart } from '../lazy-part.js';

const ExportDialog = lazyPart(() => import('./export-dialog.js'));

interface ExportButtonProps {
  label: string;
  chatIds: readonly string[];
  size?: 'small' | 'medium';
}

/** A button that opens the export of some chats. */
export function ExportButton({ label, chatIds, size = 'medium' }: ExportButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <IconButton
        label={label}
        icon={Upload}
        size={size}
        disabled={chatIds.length === 0}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && <ExportDialog chatIds={chatIds} onClose={() => setIsOpen(false)} />}
    </>
  );
}
