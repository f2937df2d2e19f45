/** Finds references to files in UIMessages, in file parts and in outputs of tools, and replaces them in copies. */
import { isRecord } from '../record.js';

/** A reference to a file in a message. */
export interface FilePlace {
  /** null in an unsaved message. */
  messageId: string | null;
  fileId: string;
  /** The name in the message. */
  name: string | null;
  /** As the message declares it. */
  mediaType: string;
  /** Whether the model reads only texts here. */
  isTextOnly: boolean;
  /** @param by a text, or the file for the model */
  replace(by: string | { url: string; mediaType?: string }): void;
}

export const OCTETS = 'application/octet-stream';

/**
 * @param tools names of tools whose outputs may have files; in those of others they become texts
 * @returns a copy of the message that the places change; the message itself without places
 */
export function withFilePlaces<Message>(
  message: Message,
  messageId: string | null,
  tools: ReadonlySet<string>,
): { message: Message; places: FilePlace[] } {
  // Also of messages without an id, as other clients save them.
  if (!isRecord(message) || !Array.isArray(message['parts'])) return { message, places: [] };
  const parts: unknown[] = [...(message['parts'] as unknown[])];
  const places = parts.flatMap((part, n): FilePlace[] => {
    if (!isRecord(part)) return [];
    if (part['type'] === 'file') {
      const file = fileAt(part['url'], part, ['filename']);
      const replace: FilePlace['replace'] = (by) => {
        parts[n] = typeof by === 'string' ? { type: 'text', text: by } : { ...part, ...by };
      };
      return file === null ? [] : [{ ...file, messageId, isTextOnly: false, replace }];
    }
    const tool = toolOf(part);
    if (tool === null || referencesIn(part, 'output').next().done === true) return [];
    const copy = { ...part, output: structuredClone(part['output']) };
    parts[n] = copy;
    return [...referencesIn(copy, 'output')].map(({ holder, key, ...file }) => ({
      ...file,
      messageId,
      isTextOnly: !tools.has(tool),
      replace: (by) => {
        holder[key] = typeof by === 'string' ? by : by.url;
      },
    }));
  });
  return places.length === 0 ? { message, places } : { message: { ...message, parts }, places };
}

type File = Pick<FilePlace, 'fileId' | 'name' | 'mediaType'>;

function fileAt(value: unknown, { mediaType, ...rest }: Record<string, unknown>, names: string[]): File | null {
  const [, fileId] = (typeof value === 'string' && /^parley:file:([0-9a-f]{64})$/.exec(value)) || [];
  if (fileId === undefined) return null;
  const name = names.map((each) => rest[each]).find((each) => typeof each === 'string') ?? null;
  return { fileId, name, mediaType: typeof mediaType === 'string' ? mediaType : OCTETS };
}

function toolOf({ type, toolName }: Record<string, unknown>): string | null {
  if (type === 'dynamic-tool') return typeof toolName === 'string' ? toolName : null;
  return typeof type === 'string' && type.startsWith('tool-') ? type.slice('tool-'.length) : null;
}

/** The server lists files in the same members: in all but texts. */
function* referencesIn(
  holder: Record<string, unknown>,
  key: string,
): Generator<File & { holder: Record<string, unknown>; key: string }> {
  const value = holder[key];
  const file = fileAt(value, holder, ['filename', 'fileName', 'file_name', 'name', 'title']);
  if (file !== null) yield { ...file, holder, key };
  else if (typeof value === 'object' && value !== null) {
    const inner = value as Record<string, unknown>;
    for (const member of Object.keys(inner)) if (member !== 'text') yield* referencesIn(inner, member);
  }
}
