import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { ROOMS, isWithin, roomOf } from './rooms.mjs';

const BUILTINS = new Set(builtinModules);

/** Imports may only go downwards: reports each import that the table of rooms does not allow. */
export const layerRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      upward: '{{room}}/ may not import {{target}}: see the table in tools/lint/rooms.mjs.',
      typeOnly: '{{room}}/ may import {{target}} with `import type` only.',
      builtin: '{{room}}/ may not import the Node built-in {{target}}.',
      package: '{{room}}/ may not import the package {{target}}.',
    },
  },
  create(context) {
    const path = relative(context.cwd, context.filename).split(sep).join('/');
    const room = roomOf(path);
    if (room === undefined) return {};
    const check = (node, source, typeOnly) => {
      if (typeof source?.value !== 'string') return;
      const problem = problemOf({ path, room, specifier: source.value, typeOnly });
      if (problem) context.report({ node, messageId: problem.id, data: { room, target: problem.target } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal, true),
      TSExternalModuleReference: (node) => check(node, node.expression, false),
      'CallExpression[callee.name="require"]': (node) => check(node, node.arguments[0], false),
    };
  },
};

function problemOf({ path, room, specifier, typeOnly }) {
  if (!specifier.startsWith('.')) return problemOfPackage(room, specifier, typeOnly);
  const target = join(dirname(path), specifier).split(sep).join('/');
  const { rooms = [], types = [] } = ROOMS[room];
  const within = (name) => isWithin(target, name);
  if (roomOf(target) === room || rooms.some(within)) return undefined;
  if (!types.some(within)) return { id: 'upward', target };
  return typeOnly ? undefined : { id: 'typeOnly', target };
}

function problemOfPackage(room, specifier, typeOnly) {
  const { builtins = [], packages = [] } = ROOMS[room];
  const isBuiltin = specifier.startsWith('node:') || BUILTINS.has(specifier);
  const mayUse = builtins === true || builtins.includes(specifier) || typeOnly;
  if (isBuiltin) return mayUse ? undefined : { id: 'builtin', target: specifier };
  const [first, second] = specifier.split('/');
  const name = specifier.startsWith('@') ? `${first}/${second}` : first;
  return packages.includes(name) ? undefined : { id: 'package', target: name };
}
