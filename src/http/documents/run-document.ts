import type { RouteServices } from '../../feature.js';
import type { Observer } from '../../observer.js';
import { envelopedFor, type Yoga } from '../websocket/graphql-ws-adapter.js';

/** Runs documents of routes beside GraphQL as operations. */
export function documentRunner({ yoga, observer }: { yoga: Yoga; observer: Observer }): RouteServices['run'] {
  return async ({ request, response, url, session }, document, variableValues) => {
    const { schema, contextFactory, execute } = envelopedFor(yoga, { session });
    const contextValue = await contextFactory();
    contextValue.onLeave = (leave) => {
      const onClose = () => {
        if (!response.writableFinished) leave();
      };
      response.once('close', onClose);
      return () => response.off('close', onClose);
    };
    const caller = observer.callerOf(request);
    contextValue.caller = { ...caller, route: url.pathname };
    const observed = observer.operation(caller, session.viewer.userId);
    observed.setDocument(document, null);
    const result = await observed.run(execute)({ schema, document, variableValues, contextValue });
    observed.end(result.errors);
    return result;
  };
}
