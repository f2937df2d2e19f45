/** What POST /import answers, line by line: docs/export.md. */
export interface ImportLine {
  conversation?: { chatId?: string; title?: string | null };
  couldNotRead?: unknown;
  totals?: unknown;
}

/**
 * Sends a file.
 * @param tell told of each line as it comes
 * @throws Error that says why it was not taken
 */
export async function importLines(
  file: File,
  headers: Record<string, string>,
  tell: (line: ImportLine) => void,
): Promise<void> {
  const answer = await fetch('/import', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: file,
  });
  if (!answer.ok) {
    const { errors } = (await answer.json()) as { errors: { message: string }[] };
    throw new Error(errors[0]?.message ?? answer.statusText);
  }
  let rest = '';
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell(JSON.parse(line) as ImportLine);
  }
}
