import { parse, type HTMLElement } from 'node-html-parser';
import { renderHtml } from '../../../../reports/html/report-html';
import { reportOf, type FixtureDelivery } from '../report-fixture';

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>&{{subject}}';

const deliveries: FixtureDelivery[] = [
  { sentAt: '2026-11-20T08:10:00.000Z', status: 'FAILED', mediaId: HOSTILE, subAccountId: 'north' },
  { sentAt: '2026-11-20T08:20:00.000Z', status: 'FAILED', mediaId: 'm-2', subAccountId: 'north' },
  { sentAt: '2026-11-20T09:00:00.000Z', status: 'SUCCESS', mediaId: 'm-2', subAccountId: 'north' },
  { sentAt: '2026-11-20T09:30:00.000Z', status: 'SUCCESS', mediaId: 'm-3', subAccountId: 'south' },
];

const report = reportOf(deliveries);
const html = renderHtml(report);
const page = parse(html);

const textsOf = (selector: string): string[] =>
  page.querySelectorAll(selector).map((each) => each.text.trim());
const cellsOf = (row: HTMLElement): string[] => row.querySelectorAll('th,td').map((cell) => cell.text);
/** Rows of the table with the figures of the chart. */
const figureRows = (of: HTMLElement): HTMLElement[] =>
  of.querySelectorAll('table').at(-2)?.querySelectorAll('tbody tr') ?? [];

describe('for screen readers', () => {
  test('the document names its language and its title, and has one h1 above its h2s', () => {
    expect(page.querySelector('html')?.getAttribute('lang')).toBe('en');
    expect(textsOf('title')[0]).toBe('2 of 4 webhook deliveries failed (50.0 %, +47.5 pp), 20 Nov');
    expect(textsOf('h1')).toEqual(['2 of 4 webhook deliveries failed (50.0 %)']);
    expect(textsOf('h2')).toEqual([
      'Media with most failures',
      'Sub-accounts with most failures',
      'By hour',
      'About this report',
    ]);
  });

  test('the chart is one picture with a name and a description, both of which exist', () => {
    const chart = page.querySelector('svg');
    expect(chart?.getAttribute('role')).toBe('img');
    const ids = chart?.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const named = ids.map((id) => chart?.querySelector(`#${id}`)?.text);
    expect(named).toEqual([
      'Webhook deliveries, Friday, 20 November 2026',
      'Failed and successful webhook deliveries by hour. The last table but one holds the same figures.',
    ]);
  });

  test('layout tables are marked as such; all others have scoped headers for every row and column', () => {
    expect(page.querySelectorAll('table[role=presentation]')).toHaveLength(3);
    const data = page.querySelectorAll('table:not([role=presentation])');
    expect(data).toHaveLength(4);
    for (const row of data.flatMap((table) => table.querySelectorAll('tr'))) {
      const scopes = row.querySelectorAll('th').map((cell) => cell.getAttribute('scope') ?? '');
      expect(scopes.join(' ')).toMatch(/^(col|row)( col)*$/);
    }
  });

  test('the table holds every figure of the chart', () => {
    const figures = figureRows(page).map(cellsOf);
    expect(figures.map(([, failed, success]) => [Number(failed), Number(success)])).toEqual(
      report.intervals.map(({ failed, success }) => [failed, success]),
    );
  });
});

test('text from the service is escaped everywhere', () => {
  expect(page.querySelectorAll('script, img')).toEqual([]);
  const names = page.querySelectorAll('th[scope=row]').map((cell) => cell.text);
  expect(names).toContain(HOSTILE);
});

test('the report fetches nothing and runs nothing', () => {
  expect(page.querySelectorAll('link, iframe, object, embed, form, a')).toEqual([]);
  const attributes = page.querySelectorAll('*').flatMap((element) => Object.entries(element.attributes));
  const names = new Set(attributes.map(([name]) => name.toLowerCase()));
  expect([...names].filter((name) => /^(on|src|href|xlink|background$|data)/.test(name))).toEqual([]);
  expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import/);
});

test('the report is readable without its style sheet: every text has inline colour and background', () => {
  const column = page.querySelector('body > table table');
  expect(column?.getAttribute('style')).toContain('max-width:640px');
  for (const table of page.querySelectorAll('table')) {
    expect(table.getAttribute('style')).toMatch(/background-color:#/);
  }
});

test('the report states its period, scope, source and completeness', () => {
  const facts = page.querySelectorAll('table').at(-1)?.querySelectorAll('tr') ?? [];
  expect(Object.fromEntries(facts.map(cellsOf))).toEqual({
    Period:
      '2026-11-20T00:00+01:00 (included) to 2026-11-21T00:00+01:00 (not included), days of Europe/Berlin',
    Scope: 'All media, all sub-accounts',
    'Compared with': 'Thursday, 19 November 2026',
    Counted: 'All from records',
    'Records read': '4',
    Complete: 'Yes',
  });
});

test('the report stays below the size that mail clients cut off, even with 62 days', () => {
  const query = { from: '2026-09-20', to: '2026-11-21', zone: 'Europe/Berlin' };
  const long = renderHtml(reportOf(deliveries, { query, interval: 'day' }));
  expect(figureRows(parse(long))).toHaveLength(62);
  expect(Buffer.byteLength(long)).toBeLessThan(102_000);
});

test('if there are too many intervals for a mail, only those with failures are listed', () => {
  const query = { from: '2026-11-10', to: '2026-11-21', zone: 'Europe/Berlin' };
  const many = parse(renderHtml(reportOf(deliveries, { query, interval: 'hour' })));
  expect(figureRows(many).map(cellsOf)).toEqual([['20 Nov 09:00', '2', '0', '100.0 %']]);
});
