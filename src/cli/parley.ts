#!/usr/bin/env node
/** The program `parley`. */
import { runProgram } from './program.js';
import { terminal } from '../command/terminal.js';

const { code, endsProcess } = await runProgram(process.argv.slice(2), terminal);
if (endsProcess) process.exit(code);
process.exitCode = code;
