/** Answers the messages of pages. An answer is written to its end, whether a page reads it or not. */
import { RemoteStore, role } from '@parley/context';
import { createAnswerHandler } from '@parley/context/answer';
import { model } from '../../../lib/model';
import { parleyToken, parleyUrl, userOf } from '../../../lib/session';
import { tools } from '../../../lib/tools';

const handler = createAnswerHandler({
  model,
  tools,
  fragments: [role('You are a travel guide.')],
  titles: true,
  userId: userOf,
  store: async (request) => {
    const userId = await userOf(request);
    // A token for each request to Parley: a long answer outlives one token.
    return new RemoteStore({
      url: parleyUrl,
      headers: async () => ({ authorization: `Bearer ${await parleyToken(userId)}` }),
    });
  },
});

export { handler as DELETE, handler as GET, handler as POST };
