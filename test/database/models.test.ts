/** The columns that scripts/generate.mjs renders from models, from which the row types derive. */
import { expect, expectTypeOf, test } from 'vitest';
import { renderColumns } from '../../scripts/prisma/render-schema.mjs';
import type { ChatEvent } from '../../src/conversation/model.js';
import type { Row } from '../../src/conversation/tables.js';

const MODELS = `
/// A word.
model Word {
  /// The number
  /// of the row.
  id       Int     @id @default(autoincrement()) // row: none
  /// Its text.
  text     String?
  long     String? // sqlserver: String? @db.NVarChar(Max)
  json     String  // postgresql: Json @db.JsonB; sqlserver: String @db.NVarChar(Max)
  count    Int     @default(0)
  bytes    BigInt
  usedAt   BigInt?
  isShort  Boolean
  chat     Chat    @relation(fields: [chatId], references: [id], onDelete: Cascade)
  others   Word[]

  @@index([text])
  @@map("words")
}
`;

test('columns are rendered from models', () => {
  expect(renderColumns(MODELS)).toBe(`/** The columns of each table: see src/conversation/tables.ts. */
export const TABLES = {
words: {
  /** Its text. */
  text: { kind: 'key', isNullable: true },
  long: { kind: 'text', isNullable: true },
  json: { kind: 'jsonb', isNullable: false },
  count: { kind: 'int', isNullable: false },
  bytes: { kind: 'long', isNullable: false },
  usedAt: { kind: 'time', isNullable: true },
  isShort: { kind: 'boolean', isNullable: false },
},
} as const;
`);
});

// TypeScript compares the types. Events are excluded, because their payload is parsed.
expectTypeOf<keyof ChatEvent>().toEqualTypeOf<keyof Row<'chat_events'>>();
