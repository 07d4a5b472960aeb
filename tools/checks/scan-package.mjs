/**
 * Runs n8n's own analysis of community packages without publishing one: on our sources, then on the output of `npm
 * pack`, each with n8n's file patterns. Prints its errors as JSON `[{ where, file, line, rule, message }]`. Argument:
 * the unpacked package.
 */
import { relative, sep } from 'node:path';
import { argv } from 'node:process';
import { SOURCE_FILE_PATTERNS, buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import { root } from '../folders.mjs';

const [packed] = argv.slice(2);
const errors = [
  ...(await errorsIn('source', root, SOURCE_FILE_PATTERNS)),
  ...(await errorsIn('package', packed, ['**/*.js', 'package.json'])),
];
process.stdout.write(JSON.stringify(errors));

async function errorsIn(where, folder, patterns) {
  const eslint = new ESLint({
    cwd: folder,
    allowInlineConfig: false,
    overrideConfigFile: true,
    overrideConfig: await buildScanConfig(),
    errorOnUnmatchedPattern: false,
  });
  const results = await eslint.lintFiles(patterns);
  return results.flatMap(({ filePath, messages }) =>
    messages
      .filter(({ severity }) => severity === 2)
      .map(({ ruleId, line, message }) => ({
        where,
        file: relative(folder, filePath).split(sep).join('/'),
        line,
        rule: ruleId,
        message,
      })),
  );
}
