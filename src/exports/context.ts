/** What the package offers as `parley/context`: the library for agents, which is the package `@parley/context`. */
export * from '@parley/context';
