/** The parts of UI messages (AI SDK 5 and 6) that readers create. An empty text gives no part. */
import { isJsonObject } from '../../file-values.js';
import type { MessagePart } from '../../source-conversation.js';

export function textParts(...texts: readonly unknown[]): MessagePart[] {
  return texts.filter(isText).map((text) => ({ type: 'text', text }));
}

/** One part for several texts, separated by blank lines. */
export function reasoningParts(...texts: readonly unknown[]): MessagePart[] {
  const text = texts.filter(isText).join('\n\n');
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** A data part for content without a part type in UI messages. */
export function dataPart(type: string, data: unknown): MessagePart {
  return { type: `data-${type === '' ? 'unknown' : type}`, data };
}

/** @param mediaType the file's type or `image/*`. The type in a data: URL takes precedence. */
export function filePart(url: string, mediaType: unknown, filename?: unknown): MessagePart {
  const given = isText(mediaType) ? mediaType : 'application/octet-stream';
  const isVague = !isText(mediaType) || mediaType.includes('*');
  return {
    type: 'file',
    mediaType: (isVague ? /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(url)?.[1] : undefined) ?? given,
    ...(isText(filename) ? { filename } : {}),
    url,
  };
}

/**
 * Files for `attached`, each once, by the first of their pointers that is a text.
 * @param files pointers with the name and the media type; addresses of other servers and data: URLs are no pointers
 */
export function attachedFiles(
  files: readonly { pointers: readonly unknown[]; mediaType?: unknown; filename?: unknown }[],
): MessagePart[] {
  const parts = files.flatMap(({ pointers, mediaType, filename }) => {
    const [url] = pointers.filter(isText);
    return url === undefined || /^(?:https?|data):/.test(url) ? [] : [filePart(url, mediaType, filename)];
  });
  return [...new Map(parts.map((part) => [part['url'], part])).values()];
}

/** A cited page; no part for addresses other than http and https. */
export function sourceParts(url: unknown, title?: unknown): MessagePart[] {
  if (!isText(url) || !/^https?:\/\//i.test(url)) return [];
  return [{ type: 'source-url', sourceId: url, url, ...(isText(title) ? { title } : {}) }];
}

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

/**
 * A call with its result.
 * @param error replaces the output of a failed call
 */
export function toolPart(call: ToolCall, result: { output: unknown } | { error: string }): MessagePart {
  const common = { type: 'dynamic-tool', toolName: call.name, toolCallId: call.id };
  const input = call.input ?? {};
  if ('error' in result) return { ...common, state: 'output-error', input, errorText: result.error };
  return { ...common, state: 'output-available', input, output: result.output ?? null };
}

/** A call without a result, as a data part: models refuse tool parts without a result. */
export function callPart(call: ToolCall): MessagePart {
  return dataPart('tool-call', { toolCallId: call.id, toolName: call.name, input: call.input ?? {} });
}

/** The input of a call: parsed if the text is JSON, else the text. */
export function toolInput(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
