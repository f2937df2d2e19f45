/** Records the root fields of an operation: changes, starts of subscriptions, shares, and objects that were not found. */
import { GraphQLError, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { AuditEvent } from '../../audit.js';
import type { Context } from '../../graphql/context.js';
import type { AuditedCall, AuditedIds } from '../../graphql/root-field-options.js';

/** The ids in arguments and inputs. */
interface Named {
  id?: string | null;
  chatId?: string | null;
  userId?: string | null;
  input?: Named;
}

/** The payload of a mutation, or its expected failure. */
interface Payload {
  created?: boolean;
  /** Set by saveMessages. */
  hasCreatedChat?: boolean;
  code?: string;
}

type Audited = AuditedCall<unknown[]>;

/** Adds recording to the root fields of a schema. */
export function withAudit(schema: GraphQLSchema): GraphQLSchema {
  const kinds = [
    ['Query', 'resolve', queryRecorder],
    ['Mutation', 'resolve', changeRecorder],
    ['Subscription', 'subscribe', startRecorder],
  ] as const;
  for (const [name, key, recorder] of kinds) {
    for (const field of fieldsOf(schema, name)) {
      const { audit } = field.extensions['pothosOptions'] as { audit: AuditEvent | Audited | null };
      if (audit === null) continue;
      const audited = typeof audit === 'string' ? { event: audit } : audit;
      field[key] = recording(field[key], recorder(audited, field.name));
    }
  }
  return schema;
}

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;
type Note = (context: Context, args: Named, outcome: Outcome) => void;

/** An expected failure of a mutation is a result. */
type Outcome = { result: unknown } | { thrown: unknown };

function fieldsOf(schema: GraphQLSchema, name: string): Field[] {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.values<Field>(type.getFields()) : [];
}

function recording(resolve: Resolve | undefined, note: Note): Resolve {
  const audited = async (...[source, args, context, info]: Parameters<Resolve>) => {
    try {
      const result: unknown = await resolve?.(source, args, context, info);
      note(context, args as Named, { result });
      return result;
    } catch (error) {
      note(context, args as Named, { thrown: error });
      throw error;
    }
  };
  return (source, args, context, info) =>
    (context.audit === undefined ? resolve : audited)?.(source, args, context, info);
}

function queryRecorder({ event, idsOf }: Audited): Note {
  return ({ audit }, _, outcome) => {
    if ('thrown' in outcome) return;
    if (outcome.result == null) audit?.missed(event);
    else if (idsOf !== undefined) {
      const { chats, target } = idsOf(outcome.result);
      audit?.done({ event, chatIds: given(chats), target });
    }
  };
}

function changeRecorder({ event, isQuiet = false, idsOf = idsOfInput }: Audited, field: string): Note {
  return ({ audit }, { input = {} }, outcome) => {
    const payload = 'result' in outcome ? (outcome.result as Payload) : {};
    if (payload.code === 'NOT_FOUND') return audit?.missed(event, field);
    const { chats, target } = idsOf(input, payload);
    const chatIds = given(chats);
    const failure = 'thrown' in outcome ? 'failed' : payload.code === undefined ? null : 'refused';
    if (failure !== null) audit?.refused({ event, result: failure, chatIds, field });
    // upsertChat found the chat.
    else if (event === 'chat.created' && payload.created === false) audit?.read('chat.read', chatIds);
    else audit?.done({ event: payload.hasCreatedChat ? 'chat.created' : event, chatIds, target, field }, isQuiet);
  };
}

function startRecorder({ event }: Audited, field: string): Note {
  return ({ audit }, { chatId }, outcome) => {
    const chatIds = given([chatId]);
    if ('result' in outcome) return audit?.done({ event, chatIds, field });
    const code = outcome.thrown instanceof GraphQLError ? outcome.thrown.extensions['code'] : undefined;
    if (code === 'NOT_FOUND') return audit?.missed(event, field);
    audit?.refused({ event, result: code === 'BAD_USER_INPUT' ? 'refused' : 'failed', chatIds, field });
  };
}

function idsOfInput(input: unknown): AuditedIds {
  const { chatId, id, userId } = input as Named;
  return { chats: [chatId ?? id], target: userId };
}

function given(ids: readonly (string | null | undefined)[]): string[] {
  return ids.filter((id) => id != null);
}
