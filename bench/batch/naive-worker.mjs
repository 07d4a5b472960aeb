// Our worker, which also has the naive workflow.
import { createRequire } from 'node:module';
import path from 'node:path';
import { distOfCommand } from '../../tools/folders.mjs';

const require = createRequire(import.meta.url);
const dist = (file) => require(path.join(distOfCommand, file));
const { bundleWorkflowCode } = require('@temporalio/worker');
const { runWorker } = dist('temporal/worker/run-worker.js');
const { readSettings, requireAccount } = dist('settings/settings.js');

const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const settings = readSettings();
const workflowsPath = require.resolve('./naive-workflow.cjs');
const logger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error };
await runWorker(
  {
    temporal: settings.temporal,
    accounts: [{ account: requireAccount(settings), options: settings.options }],
    host: settings.host,
    roots: [process.cwd()],
    shutdownGraceMs: 1_000,
    logLevel: 'error',
  },
  {
    signal: stop.signal,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
    onReady: () => console.log(JSON.stringify({ ready: true })),
  },
);
