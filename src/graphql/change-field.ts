import type { InputRef, OutputRef } from '@pothos/core';
import type { Viewer } from '../conversation/model.js';
import type { ConversationStore } from '../conversation/store.js';
import { builder } from './builder.js';

/** A mutation that changes one chat by a rule of conversations, and needs no more than the scope WRITE. */
export function changeField<Input, Payload>(
  name: string,
  rule: (store: ConversationStore, viewer: Viewer, input: Input) => Promise<Payload>,
  { type, description, input }: { type: OutputRef<Payload>; description: string; input: [InputRef<Input>, string] },
): void {
  builder.mutationField(name, (t) =>
    t.field({
      scope: 'WRITE',
      audit: 'chat.changed',
      type,
      description,
      args: { input: t.arg({ type: input[0], required: true, description: input[1] }) },
      // Pothos does not see through type parameters.
      resolve: (_root, args: unknown, context) =>
        rule(context.store, context.viewer, (args as { input: Input }).input) as never,
    }),
  );
}
