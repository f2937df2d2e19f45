import { FilePlus2, FolderInput } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../design/button.js';
import { chooseFolder, chooseImport } from './choose.js';

/** Products whose exports Parley reads, as part of a sentence. */
export const OTHER_PRODUCTS =
  'Gemini, Grok, DeepSeek, Le Chat, Open WebUI, LibreChat, LobeChat, Claude Code, Codex, Parley, and others';
export const READ_PRODUCTS = `ChatGPT, Claude, ${OTHER_PRODUCTS}`;

/** Buttons that choose files and a folder to import. */
export const ChooseButtons = (): ReactNode => (
  <>
    <Button icon={FilePlus2} onClick={chooseImport}>
      Choose files
    </Button>
    <Button icon={FolderInput} onClick={chooseFolder}>
      Choose a folder
    </Button>
  </>
);
