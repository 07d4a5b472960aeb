import { ROOMS } from './tools/lint/rooms.mjs';

const names = Object.keys(ROOMS);
/** A folder, or the file of that name. */
const within = (name) => `^${name}(?:/|\\.|$)`;
/** Rooms inside this one have rules of their own. */
const inside = (name) => names.filter((other) => other.startsWith(`${name}/`)).map(within);
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;

/** What one room may not import, by the table of rooms. */
function rulesOf(name) {
  const { rooms = [], types = [], packages, builtins = [] } = ROOMS[name];
  const from = { path: within(name), pathNot: inside(name) };
  const own = [within(name), ...rooms.map(within)];
  const rule = (what, to) => ({ name: `${name}: ${what}`, severity: 'error', from, to });
  const ours = names.filter((other) => !other.includes('/')).map(within);
  return [
    rule('no such room', { path: ours, pathNot: [...own, ...types.map(within)] }),
    ...(types.length === 0
      ? []
      : [rule('types only', { path: types.map(within), pathNot: own, dependencyTypesNot: ['type-only'] })]),
    ...inside(name).map((inner) =>
      rule('a room inside', { path: inner, pathNot: [...rooms, ...types].map(within) }),
    ),
    ...(packages === undefined
      ? []
      : [
          rule('no such package', {
            path: 'node_modules',
            pathNot: packages.map((one) => `node_modules/${PACKAGE.exec(one)[0]}/`),
          }),
        ]),
    ...(builtins === true
      ? []
      : [
          rule('no such module of Node', {
            dependencyTypes: ['core'],
            dependencyTypesNot: ['type-only'],
            pathNot: builtins.map((one) => `^(?:node:)?${one.replace('node:', '')}$`),
          }),
        ]),
  ];
}

export default {
  forbidden: [
    {
      name: 'no circle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'nothing unknown', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...names.flatMap(rulesOf),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'types', 'default'],
    },
    doNotFollow: { path: 'node_modules' },
  },
};
