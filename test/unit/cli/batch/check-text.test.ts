import { checkSummaryText } from '../../../../cli/batch/check-here';
import type { ManifestSummary } from '../../../../manifest/check/check-manifest';

const SUMMARY: ManifestSummary = {
  rows: 2,
  mistakes: 0,
  warnings: 1,
  sized: 2,
  bytes: 32_100,
  fileTypes: { WAV: 2 },
};

const LINES = [
  '2 rows can be uploaded: 2 WAV.',
  '32.1 kB in 2 sources whose size is known.',
  'No mistakes, 1 warning.',
];

test('the summary of a manifest has its rows, bytes and mistakes', () => {
  expect(checkSummaryText(SUMMARY).trimEnd().split('\n')).toEqual(LINES);
});
