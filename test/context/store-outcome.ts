import { ContextError } from '@parley/context';

/** The result or the error of a call. Generated ids are replaced by their order of appearance. */
export async function outcomeOf(call: Promise<unknown>, ids: GeneratedIds): Promise<unknown> {
  try {
    return ids.withStableIds(await call);
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    const { code, message, path } = error;
    return ids.withStableIds({ error: { code, message, path } });
  }
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;

/** A generated id. */
export class GeneratedIds {
  readonly #ids = new Map<string, string>();

  withStableIds(value: unknown): unknown {
    if (typeof value === 'string') return value.replaceAll(UUID, (id) => this.#numbered(id));
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((element) => this.withStableIds(element));
    const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
      const isTime = (key === 'createdAt' || key === 'updatedAt') && typeof member === 'number';
      return [key, isTime ? 'a time' : this.withStableIds(member)];
    });
    return Object.fromEntries(entries);
  }

  #numbered(id: string): string {
    const known = this.#ids.get(id) ?? `id ${this.#ids.size}`;
    this.#ids.set(id, known);
    return known;
  }
}
