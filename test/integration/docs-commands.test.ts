import { readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { VARIABLES } from '../../settings/variables';
import type { CommandEnd } from '../support/built-command';
import {
  type DocsStage,
  openDocsStage,
  type PageStage,
  type Presupposed,
  WORKER_READY,
} from '../support/docs-stage';
import { until } from '../support/until';
import {
  type PageBlock,
  type RunPage,
  RUN_PAGES,
  blocksOf,
  blocksToRun,
  firstLineOf,
  linesOutsideBlocks,
} from '../support/page-blocks';

/** The names and types of all fields of a JSON document; of a list, those of its first entry. */
function shapeOf(text = ''): unknown {
  return JSON.parse(text, (_name, value: unknown) =>
    Array.isArray(value) ? value.slice(0, 1) : typeof value === 'object' ? value : typeof value,
  ) as unknown;
}

/** What a block of a page needs and does, besides ending with 0. */
interface BlockPlan {
  readonly before?: (page: PageStage) => Promise<void>;
  /** The exit code that the page says. */
  readonly exit?: number;
  /** It runs until Ctrl-C. This is what it prints once it is ready. */
  readonly ready?: string;
  /** TypeScript that declares what the example presupposes. */
  readonly given?: () => string;
  readonly after?: (page: PageStage, end: CommandEnd) => Promise<void>;
}

interface PagePlan {
  /** What the page presupposes. Anything else it must set itself. Default: an account and Temporal. */
  readonly presupposes?: readonly Presupposed[];
  /** The page says that it needs a worker, without showing its command. */
  readonly worker?: true;
  /** Files that the page names. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** By the first line of the block, without its comment. */
  readonly blocks: Readonly<Record<string, BlockPlan>>;
}

const WORKER = 'media-service worker';
const PLAN_DAY = 'media-service batches plan day --output day.csv && media-service batches start day.csv';
const FILM = Buffer.alloc(300_000, 'film');

let stage: DocsStage;
beforeAll(async () => {
  stage = await openDocsStage();
});
afterAll(() => stage.close());

const PLANS: Readonly<Record<RunPage, PagePlan>> = {
  'README.md': {
    presupposes: [],
    files: { 'film.mp4': FILM, 'clips/harbour.mp4': 'harbour', 'clips/dawn/pier.mov': 'pier' },
    blocks: {
      'export MEDIA_SERVICE_BASE_URL=https://api.media.example': {
        before: async (page) => {
          await page.write('~/.media/api-key', stage.account.apiKey);
          await page.write('~/.media/secret-key', stage.account.secretKey);
        },
      },
      [WORKER]: { ready: WORKER_READY },
      'media-service doctor': {
        after: async (_page, { stdout }) => {
          expect(stdout).toMatch(/^film\.mp4: COMPLETED, /m);
          const film = stage.simulator.seen().sessions.find(({ title }) => title === 'Film');
          expect(film).toMatchObject({ tags: { project: 'alpha' }, completesAccepted: 1 });
        },
      },
      'media-service batches plan clips > clips.csv': {
        // "Running the last command again uploads nothing twice."
        after: async (page) => {
          const { starts } = stage.simulator.seen();
          await succeeded(page.run('media-service batches start clips.csv --wait'));
          expect(stage.simulator.seen().starts).toBe(starts);
        },
      },
      'media-service deliveries report --from yesterday --to today --format html --output report.html': {
        after: async (page) =>
          expect(await readFile(join(page.folder, 'report.html'), 'utf8')).toContain('<html'),
      },
    },
  },
  'docs/cli.md': {
    worker: true,
    files: { 'film.mp4': FILM, 'harbour.mp4': FILM },
    blocks: {
      'media-service doctor': {
        after: async (page) => {
          const [error, result] = blocksOf('docs/cli.md').filter(({ language }) => language === 'json');
          const { stdout } = await succeeded(page.run('media-service upload harbour.mp4 --wait --json'));
          expect(shapeOf(stdout)).toEqual(shapeOf(result?.text));
          const refused = await page.run('TEMPORAL_ADDRESS=127.0.0.1:9 media-service upload film.mp4 --json');
          expect([refused.exit, refused.stdout]).toEqual([4, '']);
          expect(shapeOf(refused.stderr)).toEqual(shapeOf(error?.text));
        },
      },
    },
  },
  'docs/configuration.md': {
    presupposes: ['Temporal'],
    blocks: {
      'media-service simulator': {
        ready: 'Paste the lines above',
        after: async (page, { stdout }) => page.paste(stdout),
      },
      [WORKER]: { ready: WORKER_READY },
      'MEDIA_SERVICE_BASE_URL=https://api.media.example': {
        before: async (page) => {
          await page.write('~/secrets/media-api-key', 'api-key');
          await page.write('~/secrets/media-secret-key', 'secret-key');
        },
        after: (page) => acceptsAll(page, 'MEDIA_SERVICE_BASE_URL=https://api.media.example'),
      },
      'TEMPORAL_ADDRESS=films.a1b2c.tmprl.cloud:7233': {
        before: (page) => page.write('~/secrets/temporal-api-key', 'api-key'),
        after: (page) => acceptsAll(page, 'TEMPORAL_ADDRESS=films.a1b2c.tmprl.cloud:7233'),
      },
      'media-service login': {
        after: async (page) => {
          const file = join(page.home, '.config', 'media-service', 'settings.env');
          expect((await stat(file)).mode & 0o777).toBe(0o600);
          page.paste('');
          const { stdout } = await succeeded(page.run('media-service login'));
          expect(stdout).not.toContain('demo-secret-key');
        },
      },
    },
  },
  'docs/batch.md': {
    worker: true,
    files: {
      'clips/tone.wav': Buffer.alloc(16_044),
      'clips/apollo/dawn/harbour.mp4': 'harbour',
      'day/morning.mp4': 'morning',
      'drafts.csv':
        'source,tilte,id\nclips/tone.wav,Tone,1\nclips/none.mp4,None,2\nclips/apollo/dawn/harbour.mp4,,1\n',
    },
    blocks: {
      'media-service batches plan clips > clips.csv': {
        before: async (page) => {
          for (const name of ['news.mp4', 'show.mp4']) await page.write(`recordings/${name}`, name);
          await utimes(join(page.folder, 'recordings', 'show.mp4'), 0, 0);
        },
      },
      'media-service batches check drafts.csv': {
        exit: 2,
        // The manifests that the page shows have no mistakes.
        after: async (page) => {
          const lines = linesOutsideBlocks('docs/batch.md').flatMap(
            ({ text }) => /^ {4}(.*)$/.exec(text)?.[1] ?? [],
          );
          const [csv, json] = ['source,', '{'].map((begin) =>
            lines.findIndex((line) => line.startsWith(begin)),
          );
          await page.write('shown/clips/harbour.mp4', 'harbour');
          await page.write('shown/manifest.csv', lines.slice(csv, json).join('\n'));
          await page.write('shown/manifest.jsonl', lines[json ?? -1] ?? '');
          await succeeded(page.run('media-service batches check shown/manifest.csv'));
          await succeeded(page.run('media-service batches check shown/manifest.jsonl'));
        },
      },
      'media-service batches start clips.csv --id clips --wait': {
        after: async (page, { stdout }) => {
          const [, served = ''] = /^(clips-\S+): started, 1 row$/m.exec(stdout) ?? [];
          await succeeded(page.run(`media-service batches wait ${served}`));
        },
      },
      [PLAN_DAY]: {
        // "Start it again, with more files."
        after: async (page, { stdout }) => {
          const [, id = ''] = /^(day-\S+): started, 1 row$/m.exec(stdout) ?? [];
          await succeeded(page.run(`media-service batches wait ${id}`));
          const { starts } = stage.simulator.seen();
          await page.write('day/noon.mp4', 'noon');
          await succeeded(page.run(`${PLAN_DAY} && media-service batches wait ${id}`));
          expect(stage.simulator.seen().starts).toBe(starts + 1);
        },
      },
      "import { connectTemporal, startBatch } from 'media-service/temporal';": {
        given: () => `const account = ${JSON.stringify(stage.account)};`,
      },
    },
  },
  'docs/gateway.md': {
    files: { 'film.mp4': FILM },
    blocks: {
      'media-service worker --http 8090 --http-tokens tokens.json': { ready: WORKER_READY },
      'curl -sSf -H @token.txt http://127.0.0.1:8090/v1/uploads \\': {
        after: async (_page, { stdout }) =>
          expect(JSON.parse(stdout)).toMatchObject({ joined: false, warnings: [] }),
      },
      "curl -sSf -H @token.txt 'http://127.0.0.1:8090/v1/uploads/film-1?wait=60'": {
        after: async (_page, { stdout }) =>
          expect(JSON.parse(stdout)).toMatchObject({ status: 'COMPLETED', ingestKey: 'film-1' }),
      },
      "curl -sSf -H @token.txt -X POST -T film.mp4 'http://127.0.0.1:8090/v1/files?fileName=film.mp4' > sent.json":
        {
          after: async (page, { stdout }) => {
            expect(JSON.parse(stdout)).toMatchObject({ joined: false, warnings: [] });
            const ended = "curl -sSf -H @token.txt 'http://127.0.0.1:8090/v1/uploads/film-2?wait=60'";
            const shown = await succeeded(page.run(ended));
            expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'COMPLETED', name: 'film.mp4' });
          },
        },
      'curl -sSf -H @token.txt http://127.0.0.1:8090/v1/batches \\': {
        after: async (_page, { stdout }) => {
          expect(stdout).toContain('"status":"COMPLETED"');
          expect(stdout).toMatch(/\{"line":1,"id":"1",.*"mediaId":/);
        },
      },
    },
  },
  'docs/reports.md': { worker: true, blocks: {} },
  'docs/operations/upgrade.md': {
    blocks: {
      'MEDIA_SERVICE_BUILD_ID=0.2.0 media-service worker': {
        before: async (page) => {
          await page.start('MEDIA_SERVICE_BUILD_ID=0.1.0 media-service worker', WORKER_READY);
          await makeCurrent(page, '0.1.0');
        },
        ready: WORKER_READY,
      },
      'temporal worker deployment set-current-version --yes --deployment-name media-service --build-id 0.2.0':
        {
          before: (page) => registered(page, '0.2.0'),
          after: async (_page, { stdout }) => {
            expect(stdout).toMatch(/^ +media-service +0\.1\.0 +draining /m);
            expect(stdout).toMatch(/0\.2\.0/);
          },
        },
    },
  },
  'simulator/README.md': {
    presupposes: [],
    blocks: {
      'media-service simulator --fault put-503:2 --shape urls-map': { ready: 'Paste the lines above' },
    },
  },
};

describe.each(RUN_PAGES)('the commands of %s', (name) => {
  const { presupposes = ['account', 'Temporal'], worker, files = {}, blocks: plans } = PLANS[name];
  const blocks = blocksToRun(name, name === 'docs/batch.md' ? ['sh', 'ts'] : ['sh']);
  let page: PageStage;

  beforeAll(async () => {
    page = await stage.openPage(name, presupposes);
    for (const [file, content] of Object.entries(files)) await page.write(file, content);
    if (worker === true) await stage.workerReady();
  });
  afterAll(async () => {
    // Workers and simulators end with 0 after Ctrl-C.
    expect((await page.close()).filter((exit) => exit !== 0)).toEqual([]);
  });

  it.each(blocks.map((block) => [`line ${block.line}: ${firstLineOf(block)}`, block] as const))(
    'work as the page shows, %s',
    async (_label, block) => {
      const plan = plans[firstLineOf(block)] ?? {};
      await plan.before?.(page);
      const end = await runBlock(page, block, plan);
      if (block.shown !== undefined) expect(page.asShown(end.stdout)).toBe(block.shown);
      await plan.after?.(page, end);
    },
  );

  it('are all that the plan names', () => {
    const shown = blocks.map(firstLineOf);
    expect(Object.keys(plans).filter((first) => !shown.includes(first))).toEqual([]);
  });
});

async function runBlock(page: PageStage, block: PageBlock, plan: BlockPlan): Promise<CommandEnd> {
  if (plan.ready !== undefined) {
    const stdout = await page.start(block.text, plan.ready);
    return { exit: null, stdout, stderr: '' };
  }
  if (plan.given !== undefined) return succeeded(page.runTypeScript(block, plan.given()));
  return succeeded(page.run(block.text), plan.exit);
}

async function succeeded(running: Promise<CommandEnd>, exit = 0): Promise<CommandEnd> {
  const end = await running;
  if (end.exit !== exit) throw new Error(`It ended with ${String(end.exit)}:\n${end.stdout}\n${end.stderr}`);
  return end;
}

/** Resolves once Temporal knows the build: some moments after its first worker polls. */
async function registered(page: PageStage, build: string): Promise<void> {
  const describe = 'temporal worker deployment describe --name media-service';
  await until(
    `Temporal knows ${build}`,
    () => page.run(describe),
    ({ stdout }) => stdout.includes(build),
  );
}

async function makeCurrent(page: PageStage, build: string): Promise<void> {
  await registered(page, build);
  const set = 'temporal worker deployment set-current-version --yes --deployment-name media-service';
  await succeeded(page.run(`${set} --build-id ${build}`));
}

/** Checks that every value of the block is well-formed for the program. */
async function acceptsAll(page: PageStage, first: string): Promise<void> {
  const { text = '' } = blocksOf('docs/configuration.md').find((block) => firstLineOf(block) === first) ?? {};
  const doctor = 'MEDIA_SERVICE_SETTINGS=none.env media-service doctor --json || true';
  const { stdout } = await succeeded(page.run(`set -a\n${text}\n${doctor}`, { pasted: false }));
  expect(stdout).not.toMatch(/settings are wrong|an example: /);
  const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
  expect(names).not.toEqual([]);
  const own = Object.values(VARIABLES).flatMap(({ name }) => [name, `${name}_FILE`]);
  const known = [...own, 'TEMPORAL_NAMESPACE'];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
}
