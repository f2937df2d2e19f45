/** The models of prisma/schema.prisma, and the values that src works with. */
import { expectTypeOf, test } from 'vitest';
import type { ChatEvent } from '../../src/conversation/model.js';
import type { Row } from '../../src/conversation/tables.js';
import type * as Models from '../../src/generated/sqlite/client.js';

/** As statements answer: see Queryable. */
type Read<Model> = {
  [Column in keyof Model]: Model[Column] extends bigint
    ? number
    : Model[Column] extends bigint | null
      ? number | null
      : Model[Column];
};

/** Whether each is as good as the other. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

test('have the same members, of the same types', () => {
  expectTypeOf<Same<Read<Models.Chat>, Row<'chats'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Message>, Row<'messages'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.MessageRun>, Row<'message_runs'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Omit<Read<Models.MessageText>, 'id'>, Row<'message_texts'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Branch>, Row<'branches'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Checkpoint>, Row<'checkpoints'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.ChatEvent>, Row<'chat_events'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.DeletedChat>, Row<'deleted_chats'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Draft>, Row<'drafts'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.DraftChunk>, Row<'draft_chunks'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.ChatImport>, Row<'chat_imports'>>>().toEqualTypeOf<true>();
  expectTypeOf<keyof Models.ChatEvent>().toEqualTypeOf<keyof ChatEvent>();
});
