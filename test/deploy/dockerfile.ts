/** Parses the Dockerfile and .dockerignore, for tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './manifests.js';

export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  /** The name of an earlier stage, or of an image. */
  base: string;
  name: string | undefined;
  instructions: Instruction[];
}

const textOf = (name: string) => readFileSync(join(PROJECT, name), 'utf8');

/** In file order; instructions before the first FROM are omitted. */
export function dockerfileStages(): Stage[] {
  return textOf('deploy/Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split(/^(?=FROM )/m)
    .slice(1)
    .map((text) => {
      const [from = '', ...lines] = text.trim().split('\n');
      const [, base = '', name] = /^FROM (\S+)(?: AS (\S+))?$/.exec(from) ?? [];
      const instructions = lines.map((line) => {
        const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
        return { name: instruction, text: rest };
      });
      return { base, name, instructions };
    });
}

/** The texts of all instructions of one kind. */
export function argumentsOf({ instructions }: Stage, name: string): string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** The variables that a stage sets with ENV. */
export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = argumentsOf(stage, 'ENV').flatMap((text) => text.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** The patterns of .dockerignore, without comments. */
export function ignoreRules(): string[] {
  return textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}
