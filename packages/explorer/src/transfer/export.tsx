import { Upload } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import { words } from '../words.js';

const ExportDialog = lazy(() => import('./export-dialog.js'));

/** A button that opens the export of a chat. */
export function Export({ chatId }: { chatId: string }): ReactNode {
  return <ExportButton label={words.export} chatIds={[chatId]} />;
}

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
      <Suspense>{isOpen && <ExportDialog chatIds={chatIds} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
