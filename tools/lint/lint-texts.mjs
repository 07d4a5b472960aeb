/**
 * Reads `[{ "file": …, "text": … }]` from stdin and prints the findings of the project's lint for each text as
 * `[["rule: message"]]`. For tests of our own rules: `file` is a path in the project and need not exist.
 */
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const cases = JSON.parse(await text(process.stdin));
// Our own rules need no types, and the texts import files that don't exist.
const eslint = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });
const answers = [];
for (const { file, text: code } of cases) {
  const [result] = await eslint.lintText(code, { filePath: file });
  answers.push(result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}
process.stdout.write(JSON.stringify(answers));
