import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/pack';

const architecture = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

type Rooms = Readonly<Record<string, { readonly rooms?: string[]; readonly types?: string[] }>>;

const SHOW_ROOMS = "import { ROOMS } from './tools/lint/rooms.mjs'; console.log(JSON.stringify(ROOMS));";
const ROOMS = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '--eval', SHOW_ROOMS], {
    cwd: ROOT,
    encoding: 'utf8',
  }),
) as Rooms;

const topOf = (room: string): string => room.split('/')[0] ?? room;
const TOP_ROOMS = [...new Set(Object.keys(ROOMS).map(topOf))];

/** What a top folder and the rooms inside it may import from other folders, by the lint's table. */
function allowedFor(top: string): string[] {
  const inside = Object.entries(ROOMS).filter(([room]) => topOf(room) === top);
  const all = inside.flatMap(([, { rooms = [], types = [] }]) => [...rooms, ...types]);
  return [...new Set(all.map(topOf).filter((room) => room !== top))].sort();
}

/** What a room uses, by the list of docs/architecture.md. */
function usesOf(top: string): string | undefined {
  const [, rest] = architecture.split(`\n- \`${top}/\`: `);
  const [entry = ''] = rest?.split(/\n(?! )/) ?? [];
  return /\. Uses ([^.]+)\.$/.exec(entry.replace(/\s+/g, ' '))?.[1];
}

const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner);

test.each(TOP_ROOMS)('docs/architecture.md says of %s/ what the lint allows it to use', (top) => {
  const uses = usesOf(top);
  expect(uses).toBeDefined();
  expect(quoted(uses ?? '').sort()).toEqual(allowedFor(top));
});

test.each(TOP_ROOMS)('CONTRIBUTING.md names the folder %s/', (top) => {
  const [, chapter = ''] = contributing.split('\n## Folders\n');
  const [folders = ''] = chapter.split('\n## ');
  const names = folders.split('\n').flatMap((line) => (line.startsWith('    ') ? line.split(/\s+/) : []));
  expect(names).toContain(`${top}/`);
});

test('every path of the repository that docs/architecture.md quotes exists', () => {
  const commands = /^npm test -- /;
  const paths = quoted(architecture)
    .map((text) => text.replace(commands, ''))
    .filter((text) => /^[\w.-]+\/[\w./-]*$/.test(text));
  const isThere = (path: string): boolean =>
    ['', '.ts', '.test.ts'].some((ending) => existsSync(join(ROOT, `${path}${ending}`)));
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
  expect(paths.length).toBeGreaterThan(20);
});
