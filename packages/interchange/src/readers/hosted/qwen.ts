/** The response of Qwen's API with all chats, which have the form of Open WebUI's. */
import { UnreadableError } from '../../file-values.js';
import { openWebUi } from '../frontends/open-webui.js';
import type { ValueReader } from '../../source-conversation.js';
import { arrayOf, objectOf } from '../shared/members.js';

export const qwen: ValueReader = {
  name: 'qwen',
  label: 'Qwen',
  claims: ({ data }) => Array.isArray(data) && openWebUi.claims(objectOf(data[0])),
  *read({ data }, title) {
    for (const [n, chat] of arrayOf(data).map(objectOf).entries()) {
      if (!openWebUi.claims(chat)) throw new UnreadableError(`chat ${n + 1} of its data has no messages`);
      for (const conversation of openWebUi.read(chat, title)) yield { ...conversation, source: 'qwen' };
    }
  },
};
