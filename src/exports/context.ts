/** The entry `parley/context`: the package `@parley/context`, the library for agents. */
export * from '@parley/context';
