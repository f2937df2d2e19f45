/** The data of an imported message: a UI message that keeps what it was made from. */
import { checkJson, MAX_DATA_BYTES } from '../conversation/bounds.js';
import { InvalidInputError } from '../conversation/errors.js';
import type { SourceName, SourceNode } from './source-conversation.js';
import { UnreadableError } from './unreadable.js';

export interface ImportedData {
  /** JSON text. */
  data: string;
  /** Whether the message is kept without its raw original, with which it would have been too large. */
  isOriginalLeftOut: boolean;
}

/**
 * @param id the message's new id
 * @throws UnreadableError when it is beyond the bounds even without its raw original
 */
export function messageData(id: string, node: SourceNode, source: SourceName): ImportedData {
  const metadata = {
    source,
    id: node.id,
    ...(node.createTime === undefined ? {} : { createTime: node.createTime }),
    ...(node.hidden ? { hidden: true } : {}),
  };
  const message = { id, role: node.role, parts: node.parts };
  const whole = checked({ ...message, metadata: { ...metadata, original: node.original } });
  if (typeof whole === 'string') return { data: whole, isOriginalLeftOut: false };
  const bare = checked({ ...message, metadata });
  if (typeof bare === 'string') return { data: bare, isOriginalLeftOut: true };
  throw new UnreadableError(`Message ${node.id}: ${bare.message}`);
}

function checked(value: unknown): string | InvalidInputError {
  try {
    return checkJson(value, 'its data', MAX_DATA_BYTES);
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}
