/** nodeIds are opaque to clients and contain the type name and the plain id. */

export function encodeNodeId(typename: string, id: string | number | bigint): string {
  return Buffer.from(`${typename}:${id}`).toString('base64url');
}

/** Null for an invalid nodeId. */
export function decodeNodeId(nodeId: string): { typename: string; id: string } | null {
  const text = Buffer.from(nodeId, 'base64url').toString();
  const colon = text.indexOf(':');
  if (colon < 1 || encodeNodeId(text.slice(0, colon), text.slice(colon + 1)) !== nodeId) return null;
  return { typename: text.slice(0, colon), id: text.slice(colon + 1) };
}
