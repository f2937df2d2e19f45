/** Forks of shares: a member of ForkChatInput, and the origin that it names. */
import { InputFieldBuilder } from '@pothos/core';
import { InvalidInputError } from '../../../conversation/errors.js';
import type { CopyOrigin, ForkChatRequest } from '../../../conversation/copy-origin.js';
import { builder } from '../../../graphql/builder.js';
import { forkChatInput } from '../../../graphql/refs.js';
import type { Context } from '../../../graphql/context.js';
import { forkShare } from '../fork-share.js';

const fields = new InputFieldBuilder(builder, 'InputObject');
forkChatInput.addFields(() => ({
  shareToken: fields.string({ description: 'The token of a share, which copies only what the share shows.' }),
}));
builder.configStore.onTypeConfig(forkChatInput, (config) => {
  config.description += ' Exactly one of chatId and shareToken is required.';
});

/** @throws InvalidInputError unless the request names one origin */
export function forkOf(request: ForkChatRequest & { shareToken?: string | null }, context: Context): CopyOrigin | null {
  const { chatId, messageId, shareToken: token, wholeGraph } = request;
  if ((chatId == null) === (token == null)) {
    throw new InvalidInputError(
      'Exactly one of chatId and shareToken is required',
      chatId == null ? 'chatId' : 'shareToken',
    );
  }
  if (token == null) return null;
  return (fork) => {
    if (messageId != null) {
      throw new InvalidInputError('messageId cannot be given together with shareToken', 'messageId');
    }
    if (wholeGraph === true) {
      throw new InvalidInputError('wholeGraph cannot be given together with shareToken', 'wholeGraph');
    }
    return forkShare(token, fork, context);
  };
}
