/** React without a browser: React's reconciler renders components to plain objects. */
import { createContext, type ReactNode } from 'react';
import Reconciler from 'react-reconciler';
import { ConcurrentRoot, DefaultEventPriority, NoEventPriority } from 'react-reconciler/constants.js';
import { onTestFinished } from 'vitest';

interface Element {
  type?: string;
  props?: Record<string, unknown>;
  children: (Element | { text: string })[];
}

let priority: number = NoEventPriority;
const nothing = () => {};
/** Null means that there is no instance. */
const CONTEXT = {};
const add = (parent: Element, child: Element) => void (remove(parent, child), parent.children.push(child));
const remove = (parent: Element, child: Element) => {
  parent.children = parent.children.filter((other) => other !== child);
};
const insert = (parent: Element, child: Element, before: Element) => {
  remove(parent, child);
  parent.children.splice(parent.children.indexOf(before), 0, child);
};

const host = {
  supportsMutation: true,
  isPrimaryRenderer: true,
  noTimeout: -1,
  scheduleTimeout: setTimeout,
  cancelTimeout: clearTimeout,
  createInstance: (type: string, props: Record<string, unknown>): Element => ({ type, props, children: [] }),
  createTextInstance: (text: string) => ({ text }),
  commitTextUpdate: (instance: { text: string }, _before: string, text: string) => void (instance.text = text),
  commitUpdate: (instance: Element, _type: string, _before: object, props: Record<string, unknown>) =>
    void (instance.props = props),
  appendInitialChild: add,
  appendChild: add,
  appendChildToContainer: add,
  insertBefore: insert,
  insertInContainerBefore: insert,
  removeChild: remove,
  removeChildFromContainer: remove,
  clearContainer: (container: Element) => void (container.children = []),
  finalizeInitialChildren: () => false,
  shouldSetTextContent: () => false,
  getRootHostContext: () => CONTEXT,
  getChildHostContext: () => CONTEXT,
  getPublicInstance: (instance: unknown) => instance,
  prepareForCommit: () => null,
  resetAfterCommit: nothing,
  preparePortalMount: nothing,
  detachDeletedInstance: nothing,
  beforeActiveInstanceBlur: nothing,
  afterActiveInstanceBlur: nothing,
  getInstanceFromNode: () => null,
  prepareScopeUpdate: nothing,
  getInstanceFromScope: () => null,
  setCurrentUpdatePriority: (next: number) => void (priority = next),
  getCurrentUpdatePriority: () => priority,
  resolveUpdatePriority: () => (priority === NoEventPriority ? DefaultEventPriority : priority),
  shouldAttemptEagerTransition: () => false,
  trackSchedulerEvent: nothing,
  resolveEventType: () => null,
  resolveEventTimeStamp: () => -1,
  requestPostPaintCallback: nothing,
  resetFormInstance: nothing,
  maySuspendCommit: () => false,
  preloadInstance: () => true,
  startSuspendingCommit: nothing,
  suspendInstance: nothing,
  waitForCommitToBeReady: () => null,
  NotPendingTransition: null,
  HostTransitionContext: createContext(null),
};

export interface Rendered {
  /** The text of all elements. */
  text(): string;
  render(node: ReactNode): void;
  unmount(): void;
  /** The props of an element with this type and text. */
  props(type: string, text: string): Record<string, unknown> | undefined;
  /** Calls an event handler, such as `onClick`. */
  fire(handler: string, type: string, text: string, event?: object): void;
  /** The errors that components have thrown. */
  errors: unknown[];
}

export function render(node: ReactNode): Rendered {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  const container: Element = { children: [] };
  const reconciler = Reconciler(host as never);
  const root = reconciler.createContainer(
    container,
    ConcurrentRoot,
    null,
    false,
    null,
    '',
    note,
    note,
    note,
    nothing,
    null,
  ) as unknown;
  const show = (shown: ReactNode) => void reconciler.updateContainer(shown, root, null, null);
  show(node);
  onTestFinished(() => show(null));
  const props = (type: string, text: string) =>
    elementsOf(container).find((element) => element.type === type && textOf(element) === text)?.props;
  const fire = (handler: string, type: string, text: string, event?: object) =>
    (props(type, text)?.[handler] as (event?: object) => void)(event);
  return { text: () => textOf(container), render: show, unmount: () => show(null), props, fire, errors };
}

const textOf = (node: Element | { text: string }): string =>
  'text' in node ? node.text : node.children.map(textOf).join('');

const elementsOf = (node: Element): Element[] => [
  node,
  ...node.children.flatMap((child) => ('text' in child ? [] : elementsOf(child))),
];
