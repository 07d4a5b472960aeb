import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { ensureBuilt } from './build.mjs';
import { root } from './folders.mjs';
import { ensure } from './set-up.mjs';
import { MissingTool } from './set-up/system-tools.mjs';
import { failuresOf } from './summary.mjs';

/** Time for a hanging suite to end its servers before it is killed. */
const GRACE_MS = 5_000;

const SERVERS = ['temporal-cli', 'versitygw', 'build'];
const WHOLE_N8N = ['n8n', ...SERVERS];
/** Parts that run beside each other. They wait half of their time: for servers, browsers, lost workers. */
const PARTS_AT_ONCE = 2;
/** Files of a suite that run at once; of all others two. Those of `integration` wait half of their time. */
const FILES_AT_ONCE = { integration: 3, package: 1, deploy: 1, storages: 1, pictures: 1 };
/** Suites that run by hand or each night: rclone takes minutes to build. */
const BY_HAND = ['storages', 'pictures'];
/** After this time a suite counts as hanging. */
const LIMIT_MINUTES = 75;

/** For each Jest project: what it needs before it starts. */
const SUITES = {
  unit: [],
  integration: SERVERS,
  batch: SERVERS,
  chaos: SERVERS,
  n8n: SERVERS,
  package: ['temporal-cli', 'build'],
  deploy: ['kustomize', 'deploy-programs', 'actionlint', 'temporal-cli', 'build'],
  system: ['systemd-analyze', 'promtool'],
  e2e: WHOLE_N8N,
  editor: ['chromium', ...WHOLE_N8N],
  storages: ['rclone', 'seaweedfs'],
  pictures: ['chromium', ...WHOLE_N8N],
  queue: ['redis', 'postgres', ...WHOLE_N8N],
};

export const SUITE_NAMES = Object.keys(SUITES);

/** Without those that run by hand or each night. */
export const CI_SUITE_NAMES = SUITE_NAMES.filter((name) => !BY_HAND.includes(name));

/**
 * Runs parts beside each other. When one is interrupted, no other begins.
 * @param {string[]} names
 * @param {(name: string) => Promise<object[]>} runPart returns the results of one part
 * @returns {Promise<object[]>} the results in the order of the names
 */
export async function runBeside(names, runPart) {
  const limit = pLimit(PARTS_AT_ONCE);
  const run = (name) => {
    if (process.exitCode) return [];
    process.stderr.write(`\n${name}\n`);
    return runPart(name);
  };
  return (await Promise.all(names.map((name) => limit(run, name)))).flat();
}

/**
 * Runs one Jest project and returns its counts. Everything that did not finish counts as a failure: a file that can't
 * be loaded, a crash, a hang, a missing tool or build, and no test at all without a filter. Only an unavailable system
 * program is not a failure. `missing` then says why the suite did not run.
 * @returns {Promise<{ name: string, passed: number, failed: number, notRun: number, seconds: number, missing?: string,
 * failures?: string[] }>}
 */
export async function runSuite(name, jestArgs = []) {
  const startedAt = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'media-service-jest-'));
  const report = join(folder, 'report.json');
  try {
    const made = await variablesOf(SUITES[name]);
    const code = await jest(name, { report, jestArgs, made });
    const content = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
    const counts = countsOf(content);
    const empty = counts.passed + counts.failed === 0 && jestArgs.length === 0;
    const failed = counts.failed === 0 && (code !== 0 || empty) ? 1 : counts.failed;
    return { name, ...counts, failed, failures: failuresOf(content), seconds: secondsSince(startedAt) };
  } catch (error) {
    process.stderr.write(`${name}: ${error.message}\n`);
    if (error instanceof MissingTool) {
      const seconds = secondsSince(startedAt);
      return { name, passed: 0, failed: 0, notRun: 0, seconds, missing: error.message };
    }
    return { name, passed: 0, failed: 1, notRun: 0, seconds: secondsSince(startedAt) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function secondsSince(startedAt) {
  return Math.round((Date.now() - startedAt) / 1000);
}

/** Makes what a suite needs. Returns the variables that save its tests from asking: test/support/tool-path.ts. */
async function variablesOf(needs) {
  const variables = {};
  for (const name of needs) {
    const path = name === 'build' ? await ensureBuilt() : await ensure(name);
    variables[`MEDIA_SERVICE_TOOL_${name.toUpperCase().replaceAll('-', '_')}`] = path ?? 'made';
  }
  return variables;
}

async function jest(name, { report, jestArgs, made }) {
  const silent = jestArgs.length === 0 ? ['--silent'] : [];
  const atOnce = `--maxWorkers=${FILES_AT_ONCE[name] ?? 2}`;
  const own = ['--selectProjects', name, atOnce, '--json', '--outputFile', report, '--passWithNoTests'];
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...jestArgs, ...own, ...silent],
    {
      cwd: root,
      env: { ...process.env, ...made },
      // Jest's readable report is on stderr. stdout only repeats it as JSON.
      stdio: ['ignore', 'ignore', 'inherit'],
      // Its own process group, so that a hanging suite ends together with its servers.
      detached: true,
    },
  );
  // Whoever asks for more than usual, as by MATRIX=full, says how long it may take.
  return exitOf(child, name, Number(process.env.LIMIT_MINUTES ?? LIMIT_MINUTES));
}

function exitOf(child, name, limitMinutes) {
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The process has ended already.
    }
  };
  const interrupt = () => {
    end('SIGTERM');
    process.exitCode = 130;
  };
  const limit = setTimeout(() => {
    process.stderr.write(`${name}: not finished after ${limitMinutes} minutes; ended.\n`);
    end('SIGTERM');
    setTimeout(() => end('SIGKILL'), GRACE_MS).unref();
  }, limitMinutes * 60_000);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      resolve(code ?? 1);
    });
  });
}

function countsOf({ numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, ...rest }) {
  return {
    passed: numPassedTests,
    failed: numFailedTests + (rest.numRuntimeErrorTestSuites ?? 0),
    notRun: numPendingTests + (rest.numTodoTests ?? 0),
  };
}
