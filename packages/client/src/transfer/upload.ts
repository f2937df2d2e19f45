/** Requests that report how much of their body was sent, which fetch cannot do in browsers over HTTP/1.1. */

/** @param of null when the size is unknown */
export type OnSent = (bytes: number, of: number | null) => void;

/** The part of XMLHttpRequest that uploads use: not every platform declares it. */
interface Xhr {
  readonly readyState: number;
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    onprogress: ((event: { loaded: number; total: number; lengthComputable: boolean }) => void) | null;
  };
  onprogress: (() => void) | null;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  onreadystatechange: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

const HEADERS_RECEIVED = 2;

/** Undefined outside of pages. */
export const platformXhr = (): (new () => Xhr) | undefined =>
  (globalThis as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;

/** `fetch` for a body in memory or a file; `onSent` is called while XMLHttpRequest sends it. */
export function fetchWithXhr(
  XhrClass: new () => Xhr,
  url: string,
  init: RequestInit,
  onSent: OnSent,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body = null, signal } = init;
    const xhr = new XhrClass();
    const encoder = new TextEncoder();
    let read = 0;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        const fail = () => {
          const reason = signal?.aborted === true ? (signal.reason as Error) : new TypeError('The connection failed');
          reject(reason);
          controller.error(reason);
        };
        const enqueue = () => {
          const { responseText } = xhr;
          if (responseText.length > read) controller.enqueue(encoder.encode(responseText.slice(read)));
          read = responseText.length;
        };
        xhr.onprogress = enqueue;
        xhr.onload = () => {
          enqueue();
          controller.close();
        };
        xhr.onerror = xhr.onabort = fail;
      },
      cancel: () => xhr.abort(),
    });
    xhr.upload.onprogress = ({ loaded, total, lengthComputable }) => onSent(loaded, lengthComputable ? total : null);
    xhr.onreadystatechange = () => {
      if (xhr.readyState !== HEADERS_RECEIVED || xhr.status === 0) return;
      resolve(new Response(stream, { status: xhr.status, headers: headersOf(xhr) }));
    };
    xhr.open(method, url);
    for (const [name, value] of new Headers(headers)) xhr.setRequestHeader(name, value);
    signal?.addEventListener('abort', () => xhr.abort());
    if (signal?.aborted === true) reject(signal.reason as Error);
    else xhr.send(body);
  });
}

/** A stream that reports the bytes that were read from it. */
export function countedStream(body: ReadableStream<Uint8Array>, onSent: OnSent): ReadableStream<Uint8Array> {
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onSent((bytes += chunk.byteLength), null);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(count);
}

function headersOf(xhr: Xhr): Headers {
  const lines = xhr.getAllResponseHeaders().trim().split('\r\n');
  return new Headers(lines.map((line): [string, string] => [line.replace(/:.*/, ''), line.replace(/^[^:]*: ?/, '')]));
}
