import { parse } from 'node-html-parser';
import { renderDeliveryChart } from '../../../../reports/html/delivery-chart';

/** The texts of a chart, and the heights of its bars in the picture's units. */
function drawn(failed: readonly number[], success: readonly number[], names = failed.map(String)) {
  const svg = renderDeliveryChart({ names, failed, success, title: 'T', description: 'D' });
  const heights = (color: string): number[] =>
    [...svg.matchAll(/v-([\d.]+)h[\d.]+v[\d.]+z" fill="(#\w+)"/g)].flatMap(([, height, fill]) =>
      fill === color ? [Number(height)] : [],
    );
  const texts = parse(svg)
    .querySelectorAll('text')
    .map(({ text }) => text);
  return { failed: heights('#d64550'), success: heights('#3d8f86'), texts };
}

describe('the chart of deliveries', () => {
  test('draws both rows on a scale of their own, with three round numbers each', () => {
    const { failed, success, texts } = drawn([2, 1, 18], [112, 133, 0], ['Mon', 'Tue', 'Wed']);
    expect(failed).toEqual([9.6, 4.8, 86.4]);
    expect(success).toEqual([47.6, 56.5]);
    expect(texts).toEqual([
      ...['Failed', '0', '10', '20', '2', '1', '18'],
      ...['Successful', '0', '80', '160'],
      ...['Mon', 'Tue', 'Wed'],
    ]);
  });

  test('shows one failure among thousands, and nothing where nothing happened', () => {
    expect(drawn([1, 0, 9_000], [0, 0, 0])).toMatchObject({ failed: [2, 86.4], success: [] });
  });

  test('an empty period has a scale, too', () => {
    expect(drawn([0], [0], ['today']).texts).toEqual([
      ...['Failed', '0', '1', '2'],
      ...['Successful', '0', '1', '2', 'today'],
    ]);
  });

  test('shortens large numbers, and names only as many of many intervals as there is room for', () => {
    const names = Array.from({ length: 168 }, (_, hour) => `hour ${hour}`);
    const { texts } = drawn(Array<number>(168).fill(1_234), Array<number>(168).fill(900_000), names);
    expect(texts.slice(0, 8)).toEqual(['Failed', '0', '800', '1.6K', 'Successful', '0', '500K', '1M']);
    expect(texts.slice(8)).toEqual([0, 24, 48, 72, 96, 120, 144].map((hour) => `hour ${hour}`));
  });

  test('escapes every text', () => {
    const texts = { names: ['<b>'], title: '<i>', description: '"&' };
    const svg = renderDeliveryChart({ ...texts, failed: [1], success: [1] });
    expect(svg).not.toMatch(/<[bi]>|"&/);
  });
});
