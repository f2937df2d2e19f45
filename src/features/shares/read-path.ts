import type { DigestReader } from './path-digests.js';
import type { PathReader } from './shared-path.js';
import type { Context } from '../../graphql/context.js';
import { beginWriting } from '../../graphql/limits/begin-work.js';
import { found } from '../../graphql/answers/references.js';

/** Reads a path page by page, without the loaders, which would keep all of its pages until the end of the operation. */
export function pathReader(context: Context): PathReader {
  const { reads } = context;
  return {
    readPage: async (path, page) => found((await reads.pathPages([path], page))[0] ?? null, 'The path'),
    parse: async ({ data }) => {
      await beginCopy(data.length, context);
      return JSON.parse(data) as unknown;
    },
  };
}

/** Reads the paths of a new share. */
export function digestReader(context: Context): DigestReader {
  const readCommonDepth: DigestReader['readCommonDepth'] = async ({ chatId, id: baseId }, { id: headId }) =>
    (await context.loaders.commonAncestor.load({ chatId, baseId, headId }))?.depth ?? null;
  return { ...pathReader(context), readCommonDepth };
}

/** Waits until a message with so many characters may be parsed, projected, serialized and hashed. */
export function beginCopy(characters: number, context: Context): Promise<void> | null {
  return beginWriting(4 * characters, context);
}
