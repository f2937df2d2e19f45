/** Files of assistant-ui's composer as file parts of a UIMessage: references to uploaded files, or data URLs. */
import {
  MessageNotSentError,
  type AppendMessage,
  type AttachmentAdapter,
  type CompleteAttachment,
  type PendingAttachment,
} from '@assistant-ui/react';
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';
import type { FilePart, Files, UploadOptions } from '../files/files.js';
import type { Content } from '../message.js';

/** Base64 needs 4 bytes for 3; the rest of the message needs space, too. */
const MAX_FILE_BYTES = ((MAX_MESSAGE_BYTES - 16 * 1024) / 4) * 3;

export interface FileAttachmentOptions {
  /**
   * The files that can be selected, as the `accept` of an input.
   * @default '*'
   */
  accept?: string;
  /**
   * The largest size of a file in bytes.
   * @default 774_144, which fits into a message of 1 MiB; with `files` the limit of the server
   */
  maxBytes?: number;
  /**
   * The result of `createFiles`: a file is uploaded when it is added, its removal cancels the upload, and its message contains a
   * reference. Without it, messages contain data URLs.
   */
  files?: Files;
}

/** A file that is being uploaded or was uploaded. */
interface Upload {
  part: Promise<FilePart>;
  stopping: AbortController;
}

/**
 * Adds files to messages. A file that is too large is refused with an error that contains the limit. With `files`, the `progress`
 * of an attachment goes from 0 to 1, and sending a message again retries its failed uploads.
 */
export function fileAttachments({
  accept = '*',
  files,
  maxBytes = files === undefined ? MAX_FILE_BYTES : Infinity,
}: FileAttachmentOptions = {}): AttachmentAdapter {
  /** By the id of the attachment. */
  const uploads = new Map<string, Upload>();

  const pendingOf = (file: File): PendingAttachment => {
    const { name, size, type } = file;
    if (size > maxBytes) {
      throw new Error(`"${name}" has ${size} bytes: a file may have at most ${maxBytes}. Choose a smaller file.`);
    }
    const status = { type: 'requires-action', reason: 'composer-send' } as const;
    return { id: crypto.randomUUID(), type: kindOf(type), name, contentType: type, file, status };
  };
  const addOne = async (file: File) => pendingOf(file);
  const upload = (filesOfPage: Files, id: string, part: FilePart, onProgress?: UploadOptions['onProgress']) => {
    const stopping = new AbortController();
    const stored = filesOfPage.storeFiles([{ id, parts: [part] }], { signal: stopping.signal, onProgress });
    const started = { part: stored.then(([message]) => message?.parts[0] ?? part), stopping };
    uploads.set(id, started);
    started.part.catch(() => uploads.delete(id));
    return started;
  };
  async function* addWith(filesOfPage: Files, file: File): AsyncGenerator<PendingAttachment, void> {
    const pending = pendingOf(file);
    const [part] = filesOfPage.attach([file]) as [FilePart];
    const content = [contentPartOf(part)];
    let progress = 0;
    let wake = () => {};
    const { part: stored } = upload(filesOfPage, pending.id, part, ({ bytes, of }) => {
      progress = bytes / of;
      wake();
    });
    for (let isStored = false; !isStored;) {
      yield { ...pending, content, status: { type: 'running', reason: 'uploading', progress } };
      isStored = await Promise.race([
        stored.then(() => true),
        new Promise<false>((resolve) => (wake = () => resolve(false))),
      ]);
    }
    yield { ...pending, content };
  }
  return {
    accept,
    add: ({ file }) => (files === undefined ? addOne(file) : addWith(files, file)),
    async send(attachment) {
      const { file, id } = attachment;
      const complete = { ...attachment, status: { type: 'complete' } as const };
      if (files === undefined) {
        const mimeType = file.type === '' ? 'application/octet-stream' : file.type;
        const data = `data:${mimeType};base64,${base64Of(await file.arrayBuffer())}`;
        return { ...complete, content: [{ type: 'file', filename: file.name, mimeType, data }] };
      }
      const [part] = files.attach([file]) as [FilePart];
      const { url, mediaType } = await (uploads.get(id) ?? upload(files, id, part)).part;
      uploads.delete(id);
      return { ...complete, content: [{ type: 'file', filename: file.name, mimeType: mediaType, data: url }] };
    },
    async remove({ id }) {
      uploads.get(id)?.stopping.abort();
    },
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
      if (part.type !== 'file' && part.type !== 'image') return [];
      const { contentType = '', name: filename } = attachment;
      const [mediaType, url] = part.type === 'file' ? [part.mimeType, part.data] : [contentType, part.image];
      return [{ type: 'file', mediaType, filename, url }];
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

/** The files of a saved UIMessage. An image has a part of the type `image`, which assistant-ui shows. */
export function attachmentsOf(data: unknown): CompleteAttachment[] {
  return filePartsOf(data).map((part, n) => ({
    id: String(n),
    type: kindOf(part.mediaType),
    name: part.filename ?? 'file',
    contentType: part.mediaType,
    status: { type: 'complete' },
    content: [contentPartOf(part)],
  }));
}

/** The file parts of a UIMessage. */
export function filePartsOf(data: unknown): FilePart[] {
  const { parts } = (data ?? {}) as { parts?: unknown };
  return (Array.isArray(parts) ? (parts as (Partial<FilePart> | null)[]) : []).flatMap((part) => {
    if (part?.type !== 'file' || typeof part.url !== 'string') return [];
    const { mediaType = 'application/octet-stream', filename, url } = part;
    return [{ type: 'file', mediaType, ...(filename !== undefined && { filename }), url }];
  });
}

/** As assistant-ui shows it. */
export function contentPartOf({ mediaType, filename, url }: FilePart): CompleteAttachment['content'][number] {
  const name = filename === undefined ? {} : { filename };
  return kindOf(mediaType) === 'image'
    ? { type: 'image', image: url, ...name }
    : { type: 'file', mimeType: mediaType, data: url, ...name };
}

const kindOf = (mediaType: string) => (mediaType.startsWith('image/') ? 'image' : 'file');

function base64Of(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let binary = '';
  // The number of arguments of a call is limited.
  for (let n = 0; n < bytes.length; n += 32_768) binary += String.fromCharCode(...bytes.subarray(n, n + 32_768));
  return btoa(binary);
}
