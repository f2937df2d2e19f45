/** Stores the files of a chat in Parley's own format. */
import type { Files } from '../../../files/files.js';
import type { AttachmentIndex } from '@parley/interchange/server';
import { addAttachment, FileProblems } from '../conversations/add-attachment.js';

/** Files that a warning names. */
const MAX_NAMED = 3;

/**
 * Stores those that the zip contains and the user lacks. An id alone grants nothing: without a content, the user must have
 * the file.
 * @returns warnings
 * @throws FileStorageError and errors of the database
 */
export async function adoptFiles(
  files: Files,
  zip: AttachmentIndex | null,
  userId: string,
  fileIds: Iterable<string>,
): Promise<string[]> {
  const problems = new FileProblems();
  const missing: string[] = [];
  for (const sha256 of fileIds) {
    if (await files.keep(userId, sha256)) continue;
    const attachment = zip?.find(sha256) ?? null;
    const declared = attachment?.comment;
    const add = attachment === null ? null : addAttachment(files, userId, { attachment, declared, sha256 });
    const added = await add?.catch((error: unknown) => problems.add(error));
    if (added === null || attachment === null) missing.push(sha256);
  }
  if (missing.length === 0) return problems.warnings;
  const named = missing.slice(0, MAX_NAMED).map((id) => JSON.stringify(id));
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  const are = missing.length === 1 ? 'is' : 'are';
  return [
    ...problems.warnings,
    `${missing.length} of its files ${are} missing: export a zip, which contains them (${named.join(', ')}${more})`,
  ];
}
