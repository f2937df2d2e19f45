import type { GraphQLResolveInfo } from 'graphql';
import type { Message } from '../../conversation/model.js';
import type { ChainKey } from '../../conversation/reads.js';
import type { Context } from '../context.js';

/** What a field with a chain returns: see PlainLists. */
export async function chainOf(
  end: ChainKey,
  { loaders, plainLists, budget }: Context,
  info: GraphQLResolveInfo,
): Promise<Message[]> {
  budget?.take(end.length, info);
  if (await plainLists?.takeJson(end.length, info, (members) => loaders.chainJson.load(end, members))) return [];
  const chain = await loaders.chain.load(end);
  return plainLists?.take(chain, info) ?? chain;
}
