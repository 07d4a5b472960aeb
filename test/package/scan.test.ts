import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Packed, ROOT, pack, run } from '../support/pack';
import accepted from '../../tools/checks/accepted-findings.json';

interface Finding {
  readonly where: 'source' | 'package';
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

let packed: Packed;
let findings: readonly Finding[];

beforeAll(async () => {
  packed = await pack();
  const { stdout } = await run(process.execPath, ['tools/checks/scan-package.mjs', packed.folder], ROOT);
  findings = JSON.parse(stdout) as Finding[];
});

afterAll(() => packed.dir.remove());

function isAccepted({ where, rule, file }: Finding): boolean {
  return accepted.some(
    (entry) => entry.where === where && entry.rule === rule && new RegExp(entry.files).test(file),
  );
}

test("n8n's scan of sources and package finds only the accepted findings", () => {
  const fresh = findings.filter((finding) => !isAccepted(finding));
  expect(
    fresh.map(({ where, file, line, rule, message }) => `${where} ${file}:${line} ${rule}: ${message}`),
  ).toEqual([]);
});

test('every accepted finding still occurs, so that the list has no outdated entry', () => {
  const unused = accepted.filter(
    (entry) =>
      !findings.some(
        ({ where, rule, file }) =>
          entry.where === where && entry.rule === rule && new RegExp(entry.files).test(file),
      ),
  );
  expect(unused).toEqual([]);
});
