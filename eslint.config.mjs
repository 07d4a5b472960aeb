import js from '@eslint/js';
import { n8nCommunityNodesPlugin as n8n } from '@n8n/eslint-plugin-community-nodes';
import tseslint from 'typescript-eslint';
import { ROOMS } from './tools/lint/rooms.mjs';
import { silentCatch } from './tools/lint/silent-catch.mjs';

const SOURCE = Object.keys(ROOMS).map((room) => `${room}/**/*.ts`);
const TESTS = ['test/**/*.ts'];

const NODE_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'Buffer',
  'URL',
  'clearTimeout',
  'console',
  'fetch',
  'performance',
  'process',
  'setTimeout',
];

const NO_ENVIRONMENT = {
  selector: 'MemberExpression[object.name="process"][property.name="env"]',
  message: 'Only settings/ and cli/main.ts read the environment; take a value as a parameter.',
};
const NO_EXIT = {
  selector: 'MemberExpression[object.name="process"][property.name=/^(exit|exitCode|abort)$/]',
  message: 'Only cli/main.ts ends the process; throw instead.',
};
const NO_WHERE = [
  {
    selector: ':matches(NewExpression, CallExpression)[callee.name="RegExp"]',
    message: 'Write a literal: test/unit/patterns.test.ts tries each on a megabyte of hostile text.',
  },
  {
    selector:
      'VariableDeclarator Identifier[name=/^(exports|module|require)$/]:matches(Property > .value, VariableDeclarator > .id)',
    message: 'The compiled CommonJS file has this name for itself, so the package would break.',
  },
  { selector: 'ExportDefaultDeclaration', message: 'Export by name: a file has one name for a thing.' },
  {
    // Methods and constructors often have the shape that a foreign interface gives them.
    selector: 'FunctionDeclaration[params.length>3]',
    message: 'Take one object with named fields instead of more than three arguments.',
  },
];
const NO_FOCUS_NO_SKIP = [
  {
    selector:
      'CallExpression[callee.object.name=/^(test|it|describe)$/][callee.property.name=/^(only|skip|todo|failing)$/]',
    message: 'Every test runs, always.',
  },
  {
    selector: 'CallExpression[callee.name=/^(fit|fdescribe|xit|xtest|xdescribe)$/]',
    message: 'Every test runs, always.',
  },
];

const USE_UNTIL = 'Wait with `until` of test/support/until.ts: it is bounded and says what it saw last.';
const NO_SLEEP = [
  'ImportDeclaration[source.value=/timers.promises$/] > ImportSpecifier[imported.name="setTimeout"]',
  'NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
  'CallExpression[callee.object.name="systemClock"][callee.property.name="sleep"][arguments.0.type="Literal"]',
].map((selector) => ({ selector, message: USE_UNTIL }));
/** Unit tests have clocks and events of their own; what waits for another process must end. */
const NO_ENDLESS_WAIT = {
  selector: ':matches(WhileStatement, DoWhileStatement, ForStatement[test=null]):has(AwaitExpression)',
  message: USE_UNTIL,
};
/** `until` itself, and the test whose subject is time. */
const MAY_SLEEP = ['test/support/until.ts', 'test/n8n/n8n-transport.test.ts'];
/** Loops that read to the end of something. */
const READ_TO_THE_END = ['test/support/stored-texts.ts', 'test/n8n/trigger-deliveries.test.ts'];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', 'coverage/**', 'test/histories/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
  js.configs.recommended,

  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // A number in a message is what it looks like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // `() => stop()` in one line is easier to read than a block.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // An abort's reason and a caught error are unknown, and pass on as they are.
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      '@typescript-eslint/only-throw-error': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      // `async` on a method that an interface wants as a promise turns a throw into a rejection.
      '@typescript-eslint/require-await': 'off',
      // `[...text].length` counts characters as the service does.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
    },
  },

  {
    files: SOURCE,
    plugins: { house: { rules: { 'silent-catch': silentCatch } } },
    rules: {
      'house/silent-catch': 'error',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60 }],
      'no-restricted-syntax': ['error', NO_ENVIRONMENT, NO_EXIT, ...NO_WHERE],
    },
  },
  // Proxies belong to the network of a process, as its DNS does: no caller passes them on.
  { files: ['api/transport/proxies.ts'], rules: { 'no-restricted-syntax': ['error', NO_EXIT, ...NO_WHERE] } },
  { files: ['settings/**/*.ts'], rules: { 'no-restricted-syntax': ['error', NO_EXIT, ...NO_WHERE] } },
  { files: ['cli/main.ts'], rules: { 'no-restricted-syntax': ['error', ...NO_WHERE] } },

  // Its subject is control characters.
  { files: ['cli/output/plain-text.ts'], rules: { 'no-control-regex': 'off' } },

  {
    files: TESTS,
    rules: {
      'no-restricted-syntax': ['error', ...NO_FOCUS_NO_SKIP, ...NO_SLEEP],
      // expect(object.method) compares, it does not call.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: TESTS,
    ignores: ['test/unit/**', ...READ_TO_THE_END],
    rules: { 'no-restricted-syntax': ['error', ...NO_FOCUS_NO_SKIP, ...NO_SLEEP, NO_ENDLESS_WAIT] },
  },
  { files: MAY_SLEEP, rules: { 'no-restricted-syntax': ['error', ...NO_FOCUS_NO_SKIP] } },

  {
    files: ['nodes/**/*.ts', 'credentials/**/*.ts', 'n8n/**/*.ts'],
    extends: [n8n.configs.recommended],
  },
  {
    files: ['package.json'],
    extends: [n8n.configs.recommended, tseslint.configs.disableTypeChecked],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: false, extraFileExtensions: ['.json'] },
    },
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      'no-unused-expressions': 'off',
    },
  },

  {
    files: ['**/*.mjs', '**/*.js', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['tools/**/*.mjs'],
    rules: { 'max-lines': ['error', { max: 300 }], 'max-lines-per-function': ['error', { max: 60 }] },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { module: 'writable', require: 'readonly', __dirname: 'readonly' },
    },
  },
);
