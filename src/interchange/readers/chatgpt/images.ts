/** Images in messages of ChatGPT's, which lie beside conversations.json. */
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
