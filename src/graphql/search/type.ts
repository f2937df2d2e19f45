import type { Hit } from '../../conversation/reads.js';
import { builder } from '../builder.js';
import { connectionRef } from '../pages/connection.js';
import { messageRef } from '../refs.js';
import { snippetOf } from './snippets.js';

export const searchHitRef = builder.objectRef<Hit>('SearchHit').implement({
  description: 'A message found by a search.',
  fields: (t) => ({
    message: t.field({ type: messageRef, description: 'The message.', resolve: (hit) => hit.message }),
    rank: t.exposeFloat('rank', { description: 'Higher is better; comparable only within one answer.' }),
    snippet: t.string({
      description: 'The text around the match as HTML: escaped, with <mark> around the match.',
      resolve: (hit, _args, context) => snippetOf(hit, context),
    }),
  }),
});

export const searchHitConnection = connectionRef('SearchHit', searchHitRef);

/** Search arguments that no other list has. */
export const searchArguments = {
  query:
    'Words that must all occur, "phrases", prefixes* and -exclusions; all else is text, and no query is invalid. ' +
    'Ignores accents, case and English word forms. Uses the first 32 terms and the first 32 exclusions.',
  first: '20 by default, 1,000 at most.',
  after: 'Only hits after this cursor of the same search.',
};
