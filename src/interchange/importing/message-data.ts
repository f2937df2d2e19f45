/** The data of an imported message: a UI message that keeps what it was made from. */
import { hash } from 'node:crypto';
import { checkJson, MAX_DATA_BYTES } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import { messagePreview, messageText } from '../../conversation/text/message-text.js';
import type { NodeContent } from '@parley/interchange/server';

export interface MessageValues {
  name: string;
  /** JSON text. */
  data: string;
  text: string;
  preview: string;
  /** What had to be left out because it was too large or nested too deep. */
  leftOut: 'nothing' | 'original' | 'message';
}

/** Characters of the fingerprint of what a message says. */
const HASH_LENGTH = 16;

/**
 * @param id the message's new id
 * @param nodeId the one that it has in the file
 */
export function messageValues(id: string, nodeId: string, content: NodeContent, source: string): MessageValues {
  const { role, parts, createTime, hidden, original } = content;
  const fingerprint = saidHash(content.said);
  const metadata = {
    source,
    id: nodeId,
    ...(createTime == null ? {} : { createTime }),
    ...(hidden === true ? { hidden: true } : {}),
    ...(fingerprint === null ? {} : { hash: fingerprint }),
  };
  // Versions 5 and 6 refuse a message without parts.
  const message = { id, role, parts: parts.length > 0 ? parts : [{ type: 'text', text: '' }] };
  const valuesOf = (value: { parts: readonly unknown[] }, data: string, leftOut: MessageValues['leftOut']) => {
    const text = messageText(value);
    return { name: role, data, text, preview: messagePreview(text), leftOut };
  };
  const whole = checked({ ...message, metadata: { ...metadata, original } });
  if (typeof whole === 'string') return valuesOf(message, whole, 'nothing');
  const bare = checked({ ...message, metadata });
  if (typeof bare === 'string') return valuesOf(message, bare, 'original');
  const reason = bare.message.replace(/^it must/, 'a message must');
  const placeholder = {
    id,
    role,
    parts: [{ type: 'text', text: `[Left out when this conversation was imported: ${reason}]` }],
    metadata: { source, id: nodeId, leftOut: reason, ...(fingerprint === null ? {} : { hash: fingerprint }) },
  };
  return valuesOf(placeholder, JSON.stringify(placeholder), 'message');
}

/** A fingerprint of what a message says, which changes with it; null for what nests too deep to have one. */
export function saidHash(said: unknown): string | null {
  if (said === undefined || said === null) return null;
  try {
    return hash('sha1', typeof said === 'string' ? said : JSON.stringify(said), 'base64url').slice(0, HASH_LENGTH);
  } catch {
    return null;
  }
}

/** A member that is not there is none, though readers may have named it. */
function checked(value: unknown): string | InvalidInputError {
  try {
    return checkJson(value, 'it', MAX_DATA_BYTES);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return error.message.endsWith('no undefined') ? checked(JSON.parse(JSON.stringify(value))) : error;
  }
}
