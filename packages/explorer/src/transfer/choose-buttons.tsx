import { FilePlus2, FolderInput } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../design/button.js';
import { words } from '../words.js';
import { chooseFolder, chooseImport } from './choose.js';

/** Buttons that choose files and a folder to import. */
export const ChooseButtons = (): ReactNode => (
  <>
    <Button icon={FilePlus2} onClick={chooseImport}>
      {words.chooseFiles}
    </Button>
    <Button icon={FolderInput} onClick={chooseFolder}>
      {words.chooseFolder}
    </Button>
  </>
);
