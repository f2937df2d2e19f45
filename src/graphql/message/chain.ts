import type { GraphQLResolveInfo } from 'graphql';
import type { Message } from '../../conversation/model.js';
import type { ChainKey } from '../../conversation/reads.js';
import type { Context } from '../context.js';
import { takeJson, takeRows, type WriteJson } from '../answers/plain-lists.js';

/** The result of a field with a chain: see plain-lists.ts. */
export async function chainOf(end: ChainKey, context: Context, info: GraphQLResolveInfo): Promise<Message[]> {
  const { loaders, budget } = context;
  budget?.take(end.length, info);
  const write: WriteJson = (members) => loaders.chainJson.load(end, members);
  if (await takeJson(context, end.length, info, write)) return [];
  return takeRows(context, await loaders.chain.load(end), info);
}
