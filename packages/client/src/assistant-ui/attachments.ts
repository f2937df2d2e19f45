/** Stores files of assistant-ui's composer in the message: as file parts of a UIMessage, with data URLs. */
import {
  MessageNotSentError,
  type AppendMessage,
  type AttachmentAdapter,
  type CompleteAttachment,
} from '@assistant-ui/react';
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';
import type { Content } from '../store/message.js';

/** Base64 needs 4 bytes for 3; the rest of the message needs space, too. */
const MAX_FILE_BYTES = ((MAX_MESSAGE_BYTES - 16 * 1024) / 4) * 3;

/** A file part of a UIMessage. */
interface FilePart {
  type: 'file';
  mediaType: string;
  filename?: string;
  url: string;
}

export interface FileAttachmentOptions {
  /**
   * The files that can be selected, as the `accept` of an input.
   * @default '*'
   */
  accept?: string;
  /**
   * The largest size of a file in bytes.
   * @default 774_144, which fits into a message of 1 MiB
   */
  maxBytes?: number;
}

/** Adds files to messages. A file that is too large is refused with an error that contains the limit. */
export function fileAttachments({
  accept = '*',
  maxBytes = MAX_FILE_BYTES,
}: FileAttachmentOptions = {}): AttachmentAdapter {
  return {
    accept,
    async add({ file }) {
      const { name, size, type } = file;
      if (size > maxBytes) {
        throw new Error(`"${name}" has ${size} bytes: a file may have at most ${maxBytes}. Choose a smaller file.`);
      }
      return {
        id: crypto.randomUUID(),
        type: kindOf(type),
        name,
        contentType: type,
        file,
        status: { type: 'requires-action', reason: 'composer-send' },
      };
    },
    async send(attachment) {
      const { file } = attachment;
      const mimeType = file.type === '' ? 'application/octet-stream' : file.type;
      const data = `data:${mimeType};base64,${base64Of(await file.arrayBuffer())}`;
      return {
        ...attachment,
        status: { type: 'complete' },
        content: [{ type: 'file', filename: file.name, mimeType, data }],
      };
    },
    async remove() {},
  };
}

/**
 * The text of a composer; with files, a UIMessage.
 * @throws MessageNotSentError when the files together are too large: the composer keeps the message
 */
export function contentOf({ content, attachments = [] }: AppendMessage): Content {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
  const files = attachments.flatMap((attachment) =>
    attachment.content.flatMap((part): FilePart[] => {
      if (part.type !== 'file') return [];
      return [{ type: 'file', mediaType: part.mimeType, filename: attachment.name, url: part.data }];
    }),
  );
  if (files.length === 0) return text;
  const data = { role: 'user', parts: [...(text === '' ? [] : [{ type: 'text', text }]), ...files] };
  const bytes = new TextEncoder().encode(JSON.stringify(data)).length;
  if (bytes <= MAX_MESSAGE_BYTES) return { data };
  throw new MessageNotSentError(
    `The message has ${bytes} bytes with its files: it may have at most ${MAX_MESSAGE_BYTES}. Remove a file.`,
  );
}

/** The files of a saved UIMessage. */
export function attachmentsOf(data: unknown): CompleteAttachment[] {
  const { parts } = (data ?? {}) as { parts?: unknown };
  return (Array.isArray(parts) ? (parts as (Partial<FilePart> | null)[]) : []).flatMap((part, n) => {
    if (part?.type !== 'file' || typeof part.url !== 'string') return [];
    const { mediaType = 'application/octet-stream', filename = 'file', url } = part;
    return [
      {
        id: String(n),
        type: kindOf(mediaType),
        name: filename,
        contentType: mediaType,
        status: { type: 'complete' },
        content: [{ type: 'file', filename, mimeType: mediaType, data: url }],
      },
    ];
  });
}

const kindOf = (mediaType: string) => (mediaType.startsWith('image/') ? 'image' : 'file');

function base64Of(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let binary = '';
  // The number of arguments of a call is limited.
  for (let n = 0; n < bytes.length; n += 32_768) binary += String.fromCharCode(...bytes.subarray(n, n + 32_768));
  return btoa(binary);
}
