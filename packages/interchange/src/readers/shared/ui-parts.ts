/** Parts of UI messages of AI SDK 4 to 6, as programs store them. */
import type { JsonObject } from '../../json-object.js';
import type { MessagePart } from '../../source-conversation.js';
import { objectOf, textOf } from './members.js';
import { callPart, dataPart, sourceParts, toolPart } from './parts.js';

/** @returns null for other types, and for types whose form is the same elsewhere */
export function uiParts(type: string, part: JsonObject): MessagePart[] | null {
  if (type === 'step-start') return [{ type }];
  if (type === 'source-document') return documentSource(part);
  if (type.startsWith('data-') && 'data' in part) {
    const id = textOf(part['id']);
    return [{ type, ...(id === null ? {} : { id }), data: part['data'] }];
  }
  // Only assistant-ui has this type.
  if (type === 'data' && textOf(part['name']) !== null) return [dataPart(String(part['name']), part['data'])];
  if (type === 'source' && 'source' in part) {
    const { url, title } = objectOf(part['source']);
    const parts = sourceParts(url, title);
    return parts.length > 0 ? parts : null;
  }
  if (type === 'tool-invocation') return [called({ ...part, ...objectOf(part['toolInvocation']) }, part['toolName'])];
  if (typeof part['state'] !== 'string') return null;
  if (type === 'dynamic-tool') return [called(part, part['toolName'])];
  return type.startsWith('tool-') ? [called(part, type.slice('tool-'.length))] : null;
}

function called(part: JsonObject, toolName: unknown): MessagePart {
  const { toolCallId, state, input, rawInput, args, output, result, errorText } = part;
  const name = textOf(part['toolName']) ?? textOf(toolName) ?? 'tool';
  const call = { id: textOf(toolCallId) ?? 'call', name, input: input ?? rawInput ?? args };
  if (state === 'output-available' || state === 'result') return toolPart(call, { output: output ?? result });
  if (state === 'output-error') return toolPart(call, { error: textOf(errorText) ?? 'it failed' });
  if (state === 'output-denied') return toolPart(call, { error: 'it was denied' });
  return callPart(call);
}

function documentSource(part: JsonObject): MessagePart[] | null {
  const [sourceId, mediaType, title] = [part['sourceId'], part['mediaType'], part['title']].map(textOf);
  if (sourceId == null || mediaType == null || title == null) return null;
  const filename = textOf(part['filename']);
  return [{ type: 'source-document', sourceId, mediaType, title, ...(filename === null ? {} : { filename }) }];
}
