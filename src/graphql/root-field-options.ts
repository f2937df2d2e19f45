/** Options that every root field must have: its line in the audit log, and its scope for access tokens. */
import type {
  FieldNullability,
  InputFieldMap,
  InputShapeFromFields,
  SchemaTypes,
  ShapeFromTypeParam,
  TypeParam,
} from '@pothos/core';
import type { AuditEvent } from '../audit.js';
import type { AccessScope } from '../conversation/model.js';

export interface AuditedIds {
  chats: readonly (string | null | undefined)[];
  target?: string | null | undefined;
}

/** The line of a call, where the event is not enough. */
export interface AuditedCall<From extends unknown[]> {
  event: AuditEvent;
  /** Whether successful mutations have no line. */
  isQuiet?: boolean;
  /** Default for mutations: the chat is `chatId`, or else `id`, of the input; the target is its `userId`. */
  idsOf?: (...from: From) => AuditedIds;
}

type InputOf<Args extends InputFieldMap> = InputShapeFromFields<Args> extends { input: infer Input } ? Input : never;

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Pothos declares its options there.
  namespace PothosSchemaTypes {
    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /**
       * The scope that an access token needs. MANAGE gives, ends or outlives access: shares, members, owners, deletions and
       * policies.
       */
      scope: Exclude<AccessScope, 'READ'>;
      /** The payload is empty when the mutation failed. */
      audit:
        | AuditEvent
        | AuditedCall<[input: InputOf<Args>, payload: Partial<Exclude<ShapeFromTypeParam<Types, Type, false>, Error>>]>;
    }

    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** The line when the query finds nothing; with `idsOf`, also when it finds something. Null for lists. */
      audit: AuditEvent | AuditedCall<[found: ShapeFromTypeParam<Types, Type, false>]> | null;
    }

    interface SubscriptionFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > {
      audit: AuditEvent;
    }
  }
}
