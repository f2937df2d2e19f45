import type { AuditRecord } from '../../audit.js';
import type { Archive } from './archive.js';

/** Records the chats that an export reads. */
export function auditedArchive(archive: Archive, audit: AuditRecord | null): Archive {
  if (audit === null) return archive;
  return {
    chats: (filter) => archive.chats(filter),
    read: async (...asked) => {
      const found = await archive.read(...asked);
      if (found !== null) audit.read('chat.exported', [found.chat.id]);
      return found;
    },
  };
}
