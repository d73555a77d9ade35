#!/usr/bin/env node
// The `talaria` command: apps/cli with the right Node.js and its dependencies.
import { prepare } from "./prepare.mjs";
import { talaria } from "./tasks.mjs";

process.exitCode = await talaria(await prepare(), process.argv.slice(2));
