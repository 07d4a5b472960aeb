import { checkSummaryText } from '../../../../cli/batch/check-here';

test('the summary of a manifest has its rows, bytes and mistakes', () => {
  const counts = { rows: 2, mistakes: 0, warnings: 1, sized: 2, bytes: 32_100 };
  expect(checkSummaryText({ ...counts, fileTypes: { WAV: 2 } })).toBe(
    '2 rows can be uploaded: 2 WAV.\n32.1 kB in 2 sources whose size is known.\nNo mistakes, 1 warning.\n',
  );
});
