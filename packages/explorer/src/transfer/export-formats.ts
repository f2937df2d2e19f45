/** The formats of exports, as docs/export.md lists them. The server names the losses of each. */
import { useState } from 'react';
import { useRead } from '../requests/use-read.js';

export interface ExportFormat {
  name: string;
  label: string;
  /** Whether it contains paths, which the user chooses; others contain the graph. */
  hasPaths?: boolean;
  /** Whether a zip has a file for each chat. */
  hasFileEach?: boolean;
  /** Whether files can be concatenated. */
  isLines?: boolean;
}

export const FORMATS: readonly ExportFormat[] = [
  { name: 'parley', label: 'Parley', isLines: true },
  { name: 'markdown', label: 'Markdown', hasPaths: true, hasFileEach: true },
  { name: 'html', label: 'HTML', hasPaths: true, hasFileEach: true },
  { name: 'chatgpt', label: 'ChatGPT' },
  { name: 'open-webui', label: 'Open WebUI' },
  { name: 'librechat', label: 'LibreChat', hasFileEach: true },
  { name: 'oasst', label: 'OASST', isLines: true },
  { name: 'completions', label: 'Chat completions', hasPaths: true, isLines: true },
];

/** The data that a format does not contain, from the headers of the export; null until they were read. */
export function useLosses(format: string, zip: boolean): readonly string[] | null {
  const [losses, setLosses] = useState<{ of: string; list: readonly string[] } | null>(null);
  const query = new URLSearchParams({ format, ...(zip && { zip: 'true' }) }).toString();
  // The download reports why the server is unavailable.
  useRead(
    async (signal) => {
      const response = await fetch(`/export?${query}`, { method: 'HEAD', signal });
      const losses = response.headers.get('parley-not-held') ?? '';
      if (response.ok) setLosses({ of: query, list: losses.split('; ').filter(Boolean) });
    },
    [query],
  );
  return losses?.of === query ? losses.list : null;
}
