/** Reduces an RGB or RGBA screenshot to 256 colours, which halves its file. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const MAX_COLORS = 256;
/** Squared: rarer colours that are closer to another one take its place. */
const MIN_DISTANCE = 40;
const SIGNATURE_BYTES = 8;
const RGBA = 6;

/** @param {Buffer} png of Chromium: 8 bits per channel, without interlacing; transparency is dropped */
export function withPalette(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const colors = colorsOf(png, width, height);
  const counts = new Map();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = [];
  for (const [color] of [...counts].sort((a, b) => b[1] - a[1])) {
    if (palette.length === MAX_COLORS) break;
    if (palette.every((other) => distance(color, other) >= MIN_DISTANCE)) palette.push(color);
  }
  const indexes = new Map(palette.map((color, index) => [color, index]));
  const rows = Buffer.alloc(height * (width + 1));
  for (const [n, color] of colors.entries()) {
    if (!indexes.has(color)) indexes.set(color, nearest(palette, color));
    rows[n + Math.floor(n / width) + 1] = indexes.get(color);
  }
  const header = Buffer.from(png.subarray(16, 29));
  // The colour type of a palette.
  header[9] = 3;
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The colours of all pixels, as numbers. */
function colorsOf(png, width, height) {
  const bytesPerPixel = png[25] === RGBA ? 4 : 3;
  const rowBytes = width * bytesPerPixel;
  const filtered = inflateSync(dataOf(png));
  const bytes = new Uint8Array(height * rowBytes);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x;
      const left = x >= bytesPerPixel ? bytes[at - bytesPerPixel] : 0;
      const above = y > 0 ? bytes[at - rowBytes] : 0;
      const corner = x >= bytesPerPixel && y > 0 ? bytes[at - rowBytes - bytesPerPixel] : 0;
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      bytes[at] = filtered[y * (rowBytes + 1) + 1 + x] + predicted;
    }
  }
  return Array.from({ length: width * height }, (_, n) => {
    const at = n * bytesPerPixel;
    return (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
  });
}

/** The contents of the IDAT chunks. */
function dataOf(png) {
  const parts = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return Buffer.concat(parts);
}

/** The filter of the PNG specification. */
function paeth(left, above, corner) {
  const estimate = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(estimate - value));
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

const channels = (color) => [color >> 16, (color >> 8) & 255, color & 255];

/** The squared distance of two colours. */
function distance(one, other) {
  const [a, b] = [channels(one), channels(other)];
  return a.reduce((sum, value, n) => sum + (value - b[n]) ** 2, 0);
}

/** The index of the nearest colour. */
function nearest(palette, color) {
  const distances = palette.map((other) => distance(color, other));
  return distances.indexOf(Math.min(...distances));
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
