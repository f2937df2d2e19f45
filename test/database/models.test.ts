/** The models of prisma/schema.prisma, and the values that src works with. */
import { expectTypeOf, test } from 'vitest';
import type { Branch, Chat, ChatEvent, Checkpoint, PlacedMessage } from '../../src/conversation/model.js';
import type { MessageText } from '../../src/database/dialects/dialect.js';
import type * as Models from '../../src/generated/sqlite/client.js';

/** As statements answer: see Queryable. */
type Read<Model> = { [Column in keyof Model]: Model[Column] extends bigint ? number : Model[Column] };

/** Whether each is as good as the other. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

test('have the same members, of the same types', () => {
  expectTypeOf<Same<Read<Models.Chat>, Chat>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Message>, Omit<PlacedMessage, 'text' | 'parentSeq'>>>().toEqualTypeOf<true>();
  expectTypeOf<
    Same<Read<Models.MessageRun>, Pick<PlacedMessage, 'chatId' | 'seq' | 'parentSeq'>>
  >().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Branch>, Omit<Branch, 'messageCount'>>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Read<Models.Checkpoint>, Checkpoint>>().toEqualTypeOf<true>();
  expectTypeOf<Same<Omit<Read<Models.MessageText>, 'id'>, MessageText>>().toEqualTypeOf<true>();
  expectTypeOf<keyof Models.ChatEvent>().toEqualTypeOf<keyof ChatEvent>();
});
