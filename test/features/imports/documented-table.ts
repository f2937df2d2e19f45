/** The tables of docs/import.md and docs/export.md: a row for each format. */
import { readFileSync } from 'node:fs';

export interface DocumentedFormat {
  /** The names for `--format`. */
  names: string[];
  /** The cells after the first. */
  cells: string[];
}

/** @param page in docs @param heading of the column of formats */
export function documentedFormats(page: string, heading: string): DocumentedFormat[] {
  const lines = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  const end = lines.indexOf('', start);
  return lines.slice(start + 2, end).map((line) => {
    const [format = '', ...cells] = line.slice(1, -1).split('|');
    return {
      names: [...format.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      cells: cells.map((cell) => cell.trim()),
    };
  });
}

/** The entries of a cell. */
export function phrasesOf(cell = ''): string[] {
  return cell.split('; ').filter((phrase) => phrase !== '');
}
