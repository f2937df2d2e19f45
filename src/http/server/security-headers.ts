import type { ServerResponse } from 'node:http';

/** Of every answer; the page of GraphiQL says for itself what it may do, and may be kept. */
const HEADERS = {
  // Conversations are for whoever asked, and for nobody's cache.
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Another origin may get another answer.
  vary: 'Origin',
};

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}
