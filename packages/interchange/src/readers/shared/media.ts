/** Blocks of images, sound, video and files, in the forms of the model APIs. */
import { isJsonObject, type JsonObject } from '../../file-values.js';
import type { MessagePart } from '../../source-conversation.js';
import { textOf } from './members.js';
import { dataPart, filePart } from './parts.js';

/** Media types by the type of the block, for content without one. */
const MEDIA: ReadonlyMap<string, string | null> = new Map([
  ['image', 'image/*'],
  ['image_url', 'image/*'],
  ['input_image', 'image/*'],
  ['image_file', 'image/*'],
  ['image_generation_call', 'image/png'],
  ['audio', 'audio/*'],
  ['input_audio', 'audio/*'],
  ['audio_url', 'audio/*'],
  ['video', 'video/*'],
  ['video_url', 'video/*'],
  ['document', null],
  ['media', null],
  ['file', null],
  ['input_file', null],
]);

export function isMedia(type: string): boolean {
  return MEDIA.has(type);
}

/** A file if the block has its content or its address, else a data part. */
export function mediaPart(type: string, block: JsonObject): MessagePart {
  const own = block[type];
  const inner = [own, block['image_url'], block['source']].find(isJsonObject) ?? {};
  const about = { ...block, ...inner };
  const { url, file_url, image, image_url, data, base64, file_data, filepath, result } = about;
  const content =
    [own, url, file_url, image, image_url, data, base64, file_data, filepath, result].map(textOf).find(isThere) ?? null;
  const mediaType = mediaTypeOf(about) ?? MEDIA.get(type) ?? null;
  // Plain text can look like base64.
  if (content === null || about['type'] === 'text') return dataPart(type, block);
  const isAddress = /^[a-z][a-z\d+.-]*:/i.test(content);
  if (!isAddress && !isBase64(content)) return dataPart(type, block);
  const address = isAddress ? content : `data:${mediaType ?? 'application/octet-stream'};base64,${content}`;
  return filePart(address, mediaType, about['filename'] ?? about['name']);
}

function mediaTypeOf(about: JsonObject): string | null {
  const { mediaType, mimeType, mime, media_type, mime_type, format, output_format } = about;
  const given = [mediaType, mimeType, mime, media_type, mime_type].map(textOf).find(isThere);
  if (given !== undefined) return given;
  const sound = textOf(format);
  if (sound !== null) return `audio/${sound === 'mp3' ? 'mpeg' : sound}`;
  const image = textOf(output_format);
  return image === null ? null : `image/${image}`;
}

function isThere(text: string | null): text is string {
  return text !== null;
}

/** An address on the server that wrote the file is not base64. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z\d+][A-Za-z\d+/]*={0,2}$/.test(text);
}
