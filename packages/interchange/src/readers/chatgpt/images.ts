/** Images and other files of messages of ChatGPT's, which lie beside conversations.json. */
import type { JsonObject } from '../../json-object.js';
import { arrayOf, objectOf, textOf } from '../shared/members.js';
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
  return pointed(url, attachments, 'image/*');
}

function pointed(url: string, attachments: ReadonlyMap<string, JsonObject>, mediaType: string | null): MessagePart {
  const attachment = attachments.get(url.replace(/^.*:\/\//, ''));
  return filePart(url, attachment?.['mime_type'] ?? mediaType, attachment?.['name']);
}

/** What its content or the code that it has run points to, and what people have attached, but for what the parts show. */
export function attachedParts(
  content: unknown,
  metadata: JsonObject,
  attachments: ReadonlyMap<string, JsonObject>,
  parts: readonly MessagePart[],
): MessagePart[] {
  const shown = parts.filter(({ type }) => type === 'file').map(({ url }) => String(url));
  const others = [...pointersIn([content, metadata['aggregate_result']])].filter((url) => !shown.includes(url));
  const files = [...attachments]
    .filter(([id]) => id !== 'undefined' && ![...shown, ...others].some((url) => url.includes(id)))
    .map(([id, { mime_type: mediaType, name }]) => filePart(id, mediaType, name));
  return [...others.map((url) => pointed(url, attachments, null)), ...files];
}

/** Every pointer in a value, however deep, in its order: of a sound, the frames of a video, a screenshot, a plot. */
function pointersIn(value: unknown): Set<string> {
  const found = new Set<string>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const at = open.pop();
    if (typeof at === 'string' && /^(?:file-service|sediment):\/\/\S+$/.test(at)) found.add(at);
    if (typeof at !== 'object' || at === null) continue;
    for (const member of Object.values(at).reverse()) open.push(member);
  }
  return found;
}
