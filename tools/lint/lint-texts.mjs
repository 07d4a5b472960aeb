/**
 * Reads `[{ "file": …, "text": … }]` on stdin and prints, per text, what the project's lint says as `[["rule: message"]]`.
 * For tests of our own rules: `file` is a path of the project, whether it exists or not.
 */
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const cases = JSON.parse(await text(process.stdin));
// Our own rules need no types, and the texts import what is not there.
const eslint = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });
const answers = [];
for (const { file, text: code } of cases) {
  const [result] = await eslint.lintText(code, { filePath: file });
  answers.push(result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}
process.stdout.write(JSON.stringify(answers));
