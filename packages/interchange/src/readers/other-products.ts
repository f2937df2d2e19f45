/** Products whose files are known and not read: no real files or published source show their formats. */
import type { JsonObject } from '../json-object.js';
import { arrayOf, objectOf } from './shared/members.js';

const PRODUCTS: readonly (readonly [name: string, isOwn: (value: JsonObject) => boolean])[] = [
  ['TypingMind', ({ data }) => 'chatID' in objectOf(arrayOf(objectOf(data)['chats'])[0])],
  ['RisuAI', ({ type }) => typeof type === 'string' && /^risu/i.test(type)],
  ['KoboldAI', (value) => 'gamestarted' in value && 'actions' in value],
  ['Zed', ({ zed }) => zed === 'context'],
  ['Cursor', (value) => 'composerId' in value || 'allComposers' in value],
];

/** The name of the product of a value; undefined for an unknown one. */
export function otherProduct(value: JsonObject): string | undefined {
  return PRODUCTS.find(([, isOwn]) => isOwn(value))?.[0];
}
