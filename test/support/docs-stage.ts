import { dirname, join } from 'node:path';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CleanUp } from './clean-up';
import { buildCommand, COMMAND, startBuilt, startShell } from './built-command';
import type { CommandContext, CommandEnd, RunningProgram } from './built-command';
import { accountEnv } from './command';
import { openOwnServer } from './own-temporal';
import { freePort } from './free-port';
import { ROOT } from './pack';
import type { PageBlock, RunPage } from './page-blocks';
import { serveFile } from './range-server';
import { sharedS3Client } from './s3-bucket';
import { s3Env } from './servers';
import { toolPath } from './tool-path';
import { openUploadFixture } from './upload-fixture';

/** The beginning of the line that a worker prints once it polls. */
export const WORKER_READY = 'Ready: polls ';
/** The account of the docs. */
const EXTERNAL_ID = 'acme-studio';
/** The folder in which the commands of the docs run. Only their output names it. */
const FOLDER_OF_DOCS = '/srv';
const BUCKETS = ['incoming', 'archive'] as const;
/** What a file on the web server of the docs contains: a manifest of an object in S3. */
const SERVED_MANIFEST = '{"source":"s3://incoming/2026/quay.mp4","id":"quay"}\n';

/** What the environment of a page's commands names. */
export type Presupposed = 'account' | 'Temporal';

export type DocsStage = Awaited<ReturnType<typeof open>>;
export type PageStage = ReturnType<typeof pageStage>;

/** Opens the servers and makes the folder for PATH. Takes some seconds. */
export function openDocsStage(): Promise<DocsStage> {
  const cleanUp = new CleanUp();
  return cleanUp.orUndo(() => open(cleanUp));
}

/** The servers that the docs name: the service, Temporal, S3 with the buckets of the docs, and a web server. */
async function open(cleanUp: CleanUp) {
  await buildCommand();
  const temporal = await openOwnServer();
  cleanUp.add(() => temporal.close());
  const simulator = { account: { externalId: EXTERNAL_ID }, seed: { media: 60, deliveries: 200 } };
  const fixture = await openUploadFixture({ temporal, simulator });
  cleanUp.add(() => fixture.close());
  await fillBuckets();
  const manifest = join(fixture.folder, 'clips.jsonl');
  await writeFile(manifest, SERVED_MANIFEST);
  const web = await serveFile(manifest, '');
  const httpPort = await freePort();
  cleanUp.add(() => web.close());
  const { account } = fixture;
  const bin = await programsIn(join(fixture.folder, 'bin'));
  const common = {
    ...s3Env(),
    PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(':'),
    MEDIA_SERVICE_SOURCE_HOSTS: '127.0.0.1',
  };
  const atTemporal = { TEMPORAL_ADDRESS: temporal.address };
  const workerEnv = { ...common, ...accountEnv(account), ...atTemporal };
  return {
    simulator: fixture.simulator,
    account,
    /** Resolves once the worker polls that all pages share whose commands need one. Its folder contains theirs. */
    workerReady: sharedWorker(cleanUp, { cwd: fixture.folder, env: workerEnv }),
    async openPage(page: RunPage, presupposes: readonly Presupposed[]): Promise<PageStage> {
      const at = join(fixture.folder, page.replaceAll('/', '-'));
      const [home, folder] = [join(at, 'home'), join(at, 'work')];
      for (const path of [home, join(folder, 'node_modules')]) await mkdir(path, { recursive: true });
      await symlink(join(ROOT, 'packages', 'media-service'), join(folder, 'node_modules', 'media-service'));
      // What a reader replaces: addresses of servers, and the folder with secrets.
      const placeholders = {
        'https://api.media.example': account.baseUrl,
        'https://upload.media.example': account.uploadUrl,
        'https://cdn.example': new URL(web.url).origin,
        'localhost:7233': temporal.address,
        '8090': String(httpPort),
        '/run/secrets': join(home, 'secrets'),
      };
      const env = {
        ...{ ...common, HOME: home },
        ...(presupposes.includes('account') ? accountEnv(account) : {}),
        ...(presupposes.includes('Temporal') ? atTemporal : {}),
      };
      return pageStage({ folder, home, env, placeholders });
    },
    close: () => cleanUp.run(),
  };
}

/** Starts a worker at the first call. Each call waits until it polls. */
function sharedWorker(cleanUp: CleanUp, context: CommandContext): () => Promise<void> {
  let worker: Promise<RunningProgram> | undefined;
  const start = async (): Promise<RunningProgram> => {
    const started = await startBuilt(['worker'], context);
    cleanUp.add(async () => {
      started.signal('SIGINT');
      await started.ended;
    });
    return started;
  };
  return async () => {
    worker ??= start();
    await (await worker).until(WORKER_READY);
  };
}

/** Makes the buckets that the docs name, with the objects that they name. */
async function fillBuckets(): Promise<void> {
  const client = sharedS3Client();
  for (const Bucket of BUCKETS) await client.send(new CreateBucketCommand({ Bucket }));
  for (const Key of ['2026/quay.mp4', '2026/pier.mov', 'quay.mp4'])
    await client.send(new PutObjectCommand({ Bucket: 'incoming', Key, Body: `film ${Key}` }));
  client.destroy();
}

async function programsIn(bin: string): Promise<string> {
  await mkdir(bin);
  await symlink(COMMAND, join(bin, 'media-service'));
  await symlink(await toolPath('temporal-cli'), join(bin, 'temporal'));
  return bin;
}

interface PageParts {
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly placeholders: Readonly<Record<string, string>>;
}

/** A home and a current folder for the commands of one page. */
function pageStage({ folder, home, env, placeholders }: PageParts) {
  const running: RunningProgram[] = [];
  let pasted = '';
  const filledIn = (text: string): string =>
    Object.entries(placeholders).reduce((so, [name, value]) => so.replaceAll(name, value), text);
  const start = (script: string): Promise<RunningProgram> =>
    startShell(filledIn(script), { cwd: folder, env });
  /** Runs a text of the page in a shell of its own. */
  const run = async (text: string, options = { pasted: true }): Promise<CommandEnd> =>
    (await start(options.pasted ? `${pasted}\n${text}` : text)).ended;
  return {
    folder,
    home,
    /** Writes a file below the current folder, or below the home with `~/`. */
    async write(name: string, content: string | Buffer): Promise<void> {
      const path = name.startsWith('~/') ? join(home, name.slice(2)) : join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content, { mode: 0o600 });
    },
    run,
    /** Starts a single command that runs until the page is closed. Resolves with its output once that contains `ready`. */
    async start(text: string, ready: string): Promise<string> {
      // A signal then reaches the command itself.
      const command = await start(`${pasted}\nexec env ${text}`);
      running.push(command);
      await command.until(ready);
      return command.stdout();
    },
    /** Puts these lines in front of every later text, as a reader pastes them into each terminal. */
    paste(lines: string): void {
      pasted = lines;
    },
    /** Runs TypeScript against the built package. `given`: what the page presupposes. */
    async runTypeScript({ text }: PageBlock, given: string): Promise<CommandEnd> {
      await writeFile(join(folder, 'example.mts'), `${given}\n${filledIn(text)}`);
      return run('node example.mts');
    },
    /** Output with the folder that the docs show. */
    asShown: (output: string): string => output.replaceAll(folder, FOLDER_OF_DOCS),
    /** Sends Ctrl-C's signal to everything that was started. Resolves with the exit codes. */
    async close(): Promise<readonly (number | null)[]> {
      for (const command of running) command.signal('SIGINT');
      return Promise.all(running.map(async ({ ended }) => (await ended).exit));
    },
  };
}
