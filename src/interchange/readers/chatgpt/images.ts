/** Images and other files of messages of ChatGPT's, which lie beside conversations.json. */
import { arrayOf, objectOf, textOf, type JsonObject } from '../shared/members.js';
import { dataPart, filePart } from '../shared/parts.js';
import type { MessagePart } from '../source-conversation.js';

/** The files that came with a message, by their ids: what a pointer in its content leads to. */
export function attachmentsOf(metadata: JsonObject): Map<string, JsonObject> {
  return new Map(arrayOf(metadata['attachments']).map((each) => [String(objectOf(each)['id']), objectOf(each)]));
}

/** A pointer to an image as a file: `sediment://file_1` and `file-service://file-1` name what the export holds beside. */
export function imagePart(pointer: JsonObject, attachments: ReadonlyMap<string, JsonObject>): MessagePart {
  const url = textOf(pointer['asset_pointer']);
  if (url === null) return dataPart('image_asset_pointer', pointer);
  const attachment = attachments.get(url.replace(/^.*:\/\//, ''));
  return filePart(url, attachment?.['mime_type'] ?? 'image/*', attachment?.['name']);
}

/** What was said aloud, and what people have attached, but for what the parts show. */
export function attachedParts(
  content: unknown,
  attachments: ReadonlyMap<string, JsonObject>,
  parts: readonly MessagePart[],
): MessagePart[] {
  const shown = parts.filter(({ type }) => type === 'file').map(({ url }) => String(url));
  const files = [...attachments]
    .filter(([id]) => id !== 'undefined' && !shown.some((url) => url.includes(id)))
    .map(([id, { mime_type: mediaType, name }]) => filePart(id, mediaType, name));
  const sounds = arrayOf(objectOf(content)['parts']).flatMap((part) => {
    const found = objectOf(part);
    const sound = 'audio_asset_pointer' in found ? objectOf(found['audio_asset_pointer']) : found;
    const url = found === sound && found['content_type'] !== 'audio_asset_pointer' ? null : sound['asset_pointer'];
    return textOf(url) === null ? [] : [filePart(String(url), 'audio/*')];
  });
  return [...sounds, ...files];
}
