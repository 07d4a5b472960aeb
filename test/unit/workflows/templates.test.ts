import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { IConnection, IConnections, INode } from 'n8n-workflow';
import { asText } from '../../n8n/support/as-text';

const FOLDER = resolve(__dirname, '..', '..', '..', 'workflows');
const STICKY = 'n8n-nodes-base.stickyNote';

interface Template {
  readonly name: string;
  readonly nodes: readonly INode[];
  readonly connections: IConnections;
}

const templates = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, text: readFileSync(join(FOLDER, file), 'utf8') }));

const connectionsOf = ({ connections }: Template): { from: string; to: IConnection }[] =>
  Object.entries(connections).flatMap(([from, kinds]) =>
    Object.values(kinds)
      .flat(2)
      .flatMap((to) => (to === null ? [] : [{ from, to }])),
  );

describe.each(templates)('$file', ({ file, text }) => {
  const template = JSON.parse(text) as Template;
  const { nodes } = template;
  const notes = nodes
    .filter(({ type }) => type === STICKY)
    .map(({ parameters }) => asText(parameters['content']));
  const working = nodes.filter(({ type }) => type !== STICKY);

  test('is a workflow as n8n exports it, without data of its n8n or user', () => {
    const keys = ['active', 'connections', 'name', 'nodes', 'pinData', 'settings'];
    expect(Object.keys(template).sort()).toEqual(keys);
    expect(template).toMatchObject({ active: false, pinData: {}, settings: { executionOrder: 'v1' } });
    expect(nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
    const addresses = [...text.matchAll(/https?:\/\/([^/"\s]+)|[\w.]+@([\w.]+\w)/g)].map(
      ([, host, mail]) => host ?? mail,
    );
    expect(addresses.filter((host) => host?.endsWith('example.com') !== true)).toEqual([]);
  });

  test('has unique names and IDs, valid connections, and only reachable nodes', () => {
    const names = nodes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(names.length);
    const wires = connectionsOf(template);
    expect(wires.filter(({ from, to }) => !names.includes(from) || !names.includes(to.node))).toEqual([]);
    const joined = new Set(wires.flatMap(({ from, to }) => [from, to.node]));
    expect(working.map(({ name }) => name).filter((name) => !joined.has(name))).toEqual([]);
  });

  test('has notes with what it does, what to fill in, and what happens when it fails', () => {
    expect(notes[0]).toMatch(/^## [A-Z]/);
    expect(notes.join('\n')).toMatch(/^### Fill in$/m);
    expect(notes.join('\n')).toMatch(/^### When .*fails?$/m);
    const named = [...notes.join('\n').matchAll(/^\d\. (.+?):/gm)].flatMap(([, before = '']) =>
      [...before.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name),
    );
    const known = working.map(({ name }) => name);
    expect(named.filter((name) => name === undefined || !known.includes(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  test('is in the list of templates, with its picture', () => {
    const list = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    expect(list).toContain(`](${file})`);
    expect(list).toContain(`](../docs/pictures/workflow-${file.replace('.json', '.png')})`);
  });
});
