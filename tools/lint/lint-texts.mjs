/**
 * Reads `[{ "file": …, "text": … }]` on stdin and prints, per text, what the project's lint says as `[["rule: message"]]`.
 * For tests of our own rules: `file` must exist, its content is replaced by the text.
 */
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';

const cases = JSON.parse(await text(process.stdin));
const eslint = new ESLint();
const answers = [];
for (const { file, text: code } of cases) {
  const [result] = await eslint.lintText(code, { filePath: file });
  answers.push(result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}
process.stdout.write(JSON.stringify(answers));
