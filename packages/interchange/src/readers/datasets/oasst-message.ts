import type { JsonObject } from '../../json-object.js';
import { textParts } from '../shared/parts.js';
import type { NodeContent, Role } from '../../source-conversation.js';

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['prompter', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
]);

/**
 * A message of OpenAssistant.
 * @param message without its id, its parent and its replies
 */
export function oasstContent(message: JsonObject): NodeContent {
  const { text, ...others } = message;
  const parts = textParts(text);
  return {
    role: ROLES.get(others['role']) ?? 'assistant',
    parts,
    createTime: others['created_date'] ?? undefined,
    original: parts.length > 0 || text === undefined ? others : { text, ...others },
    fingerprinted: text,
  };
}
