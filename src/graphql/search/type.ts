import type { Hit } from '../../conversation/reads.js';
import { builder } from '../builder.js';
import { connectionRef } from '../connection.js';
import { messageRef } from '../refs.js';
import { snippetOf } from './snippets.js';

export const searchHitRef = builder.objectRef<Hit>('SearchHit').implement({
  description: 'A message that a search has found.',
  fields: (t) => ({
    message: t.field({ type: messageRef, description: 'The message that was found.', resolve: (hit) => hit.message }),
    rank: t.exposeFloat('rank', { description: 'Higher is better; comparable within one answer only.' }),
    snippet: t.string({
      description: 'A stretch of the text around the match as HTML: escaped, with <mark> around what matched.',
      resolve: (hit, _args, context) => snippetOf(hit, context),
    }),
  }),
});

export const searchHitConnection = connectionRef('SearchHit', searchHitRef);

/** The arguments of a search that it shares with no other list. */
export const searchArguments = {
  query:
    'Words that must all occur, "phrases", beginnings* and -exclusions; everything else is text, and no query is wrong. ' +
    'Accents, case and English word forms do not matter. The first 32 count, and as many exclusions.',
  first: '20 by default, 1,000 at most.',
  after: 'Only hits behind this cursor of the same search.',
};
