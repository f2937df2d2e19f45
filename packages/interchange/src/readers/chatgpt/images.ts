/** Images and other files of ChatGPT's messages, which are next to conversations.json. */
import type { JsonObject } from '../../file-values.js';
import { arrayOf, objectOf, textOf } from '../shared/members.js';
import { dataPart, filePart } from '../shared/parts.js';
import type { MessagePart } from '../../source-conversation.js';

/** A message's files by their ids, which pointers in its content refer to. */
export function attachmentsOf(metadata: JsonObject): Map<string, JsonObject> {
  return new Map(arrayOf(metadata['attachments']).map((each) => [String(objectOf(each)['id']), objectOf(each)]));
}

/** A pointer to an image as a file: `sediment://file_1` and `file-service://file-1` name files of the export. */
export function imagePart(pointer: JsonObject, attachments: ReadonlyMap<string, JsonObject>): MessagePart {
  const url = textOf(pointer['asset_pointer']);
  if (url === null) return dataPart('image_asset_pointer', pointer);
  return pointed(url, attachments, 'image/*');
}

function pointed(url: string, attachments: ReadonlyMap<string, JsonObject>, mediaType: string | null): MessagePart {
  const attachment = attachments.get(url.replace(/^.*:\/\//, ''));
  return filePart(url, attachment?.['mime_type'] ?? mediaType, attachment?.['name']);
}

/** Files that the content, executed code or attachments refer to, except those that the parts show. */
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

/** All pointers in a value at any depth, in order: sound, video frames, screenshots, plots. */
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
