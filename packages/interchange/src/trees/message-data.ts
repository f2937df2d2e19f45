/** The data of a message of a tree: a UI message with its original. */
import { hash } from 'node:crypto';
import type { NodeContent } from '../source-conversation.js';

export interface MessageData {
  /** The message without its original, for its text. */
  message: { parts: readonly unknown[]; metadata: object };
  /** JSON text. */
  data: string;
  /** The data left out because it was too large or nested too deep. */
  leftOut: 'nothing' | 'original' | 'message';
}

export interface IdentifiedContent {
  /** The message's new id. */
  id: string;
  /** The id in the file. */
  nodeId: string;
  content: NodeContent;
  /** The name of the format. */
  source: string;
}

/** @returns the JSON text of a value, or a fault that begins with `it must` */
export type CheckJson = (value: unknown) => string | { fault: string };

/** Characters of a fingerprint. */
const HASH_LENGTH = 16;

export function messageData({ id, nodeId, content, source }: IdentifiedContent, check: CheckJson): MessageData {
  const { role, parts, createTime, hidden, original } = content;
  const fingerprint = contentFingerprint(content.fingerprinted);
  const hiding = hidden === true ? { hidden: true } : {};
  const metadata = {
    source,
    id: nodeId,
    ...(createTime == null ? {} : { createTime }),
    ...hiding,
    ...(fingerprint === null ? {} : { hash: fingerprint }),
  };
  // Versions 5 and 6 refuse a message without parts.
  const message = { id, role, parts: parts.length > 0 ? parts : [{ type: 'text', text: '' }], metadata };
  const whole = check({ ...message, metadata: { ...metadata, original } });
  if (typeof whole === 'string') return { message, data: whole, leftOut: 'nothing' };
  const bare = check(message);
  if (typeof bare === 'string') return { message, data: bare, leftOut: 'original' };
  const reason = bare.fault.replace(/^it must/, 'a message must');
  const placeholder = {
    id,
    role,
    parts: [{ type: 'text', text: `[Left out when this conversation was imported: ${reason}]` }],
    metadata: {
      source,
      id: nodeId,
      leftOut: reason,
      ...hiding,
      ...(fingerprint === null ? {} : { hash: fingerprint }),
    },
  };
  return { message: placeholder, data: JSON.stringify(placeholder), leftOut: 'message' };
}

/** A fingerprint of the content of a message; null for content that nests too deep to be serialized. */
export function contentFingerprint(content: unknown): string | null {
  if (content === undefined || content === null) return null;
  try {
    return hash('sha1', typeof content === 'string' ? content : JSON.stringify(content), 'base64url').slice(
      0,
      HASH_LENGTH,
    );
  } catch {
    return null;
  }
}
