import type { GraphQLResolveInfo } from 'graphql';
import type { Message } from '../../conversation/model.js';
import type { ChainKey } from '../../conversation/reads.js';
import type { Context } from '../context.js';
import type { WriteJson } from '../answers/plain-lists.js';

/** The result of a field with a chain: see PlainLists. */
export async function chainOf(
  end: ChainKey,
  { loaders, plainLists, budget }: Context,
  info: GraphQLResolveInfo,
): Promise<Message[]> {
  budget?.take(end.length, info);
  const write: WriteJson = (members) => loaders.chainJson.load(end, members);
  if (await plainLists?.takeJson(end.length, info, write)) return [];
  const chain = await loaders.chain.load(end);
  return plainLists?.take(chain, info) ?? chain;
}
