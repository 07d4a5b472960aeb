import { BarChart } from 'echarts/charts';
import { GridSimpleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import type { EChartsCoreOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeHtml } from '../html/escape-html';

// The simple grid has no axis pointer, which would need a script.
use([BarChart, GridSimpleComponent, SVGRenderer]);

interface DeliveryChart {
  /** Labels below the pairs of bars. */
  readonly names: readonly string[];
  readonly failed: readonly number[];
  readonly success: readonly number[];
  /** For screen readers. */
  readonly title: string;
  readonly description: string;
}

/** Size in the picture's own units. It scales with its column. */
const WIDTH = 500;
const HEIGHT = 284;
const LEFT = 40;
/** Readable on white and on black, if a mail client drops the style sheet. */
const INK = '#767676';
const LINE = '#9a9a9a55';
const FAILED = '#d64550';
const SUCCESS = '#3d8f86';
const MAX_LABELLED_BARS = 14;

/**
 * An SVG with two rows of bars over the same intervals: failed above, successful below. Each row has its own scale,
 * because a few failures would be invisible next to thousands of successes. Self-contained: no script, style sheet or
 * remote resource. Its texts are escaped.
 */
export function renderDeliveryChart(chart: DeliveryChart): string {
  const echarts = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  try {
    echarts.setOption(optionOf(chart));
    return accessible(echarts.renderToSVGString(), chart);
  } finally {
    echarts.dispose();
  }
}

function optionOf({ names, failed, success }: DeliveryChart): EChartsCoreOption {
  return {
    animation: false,
    textStyle: { fontFamily: 'Helvetica, Arial, sans-serif', fontSize: 13, color: INK },
    grid: [
      { left: LEFT, right: 0, top: 36, height: 96 },
      { left: LEFT, right: 0, top: 184, height: 68 },
    ],
    xAxis: [xAxis(0, names, false), xAxis(1, names, true)],
    yAxis: [yAxis(0, 'Failed'), yAxis(1, 'Successful')],
    series: [bars(0, failed, FAILED), bars(1, success, SUCCESS)],
  };
}

function xAxis(gridIndex: number, data: readonly string[], labelled: boolean): object {
  return {
    gridIndex,
    type: 'category',
    data,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: INK } },
    axisLabel: { show: labelled, color: INK, fontSize: 13, hideOverlap: true },
  };
}

function yAxis(gridIndex: number, name: string): object {
  return {
    gridIndex,
    type: 'value',
    name,
    nameGap: 12,
    nameTextStyle: { align: 'left', color: INK, fontSize: 13, fontWeight: 'bold', padding: [0, 0, 0, -LEFT] },
    minInterval: 1,
    splitNumber: 2,
    max: ({ max }: { max: number }) => (max === 0 ? 1 : undefined),
    axisLabel: { color: INK, fontSize: 13, formatter: shortCount },
    splitLine: { lineStyle: { color: LINE } },
  };
}

function bars(index: number, data: readonly number[], color: string): object {
  return {
    type: 'bar',
    xAxisIndex: index,
    yAxisIndex: index,
    data,
    silent: true,
    emphasis: { disabled: true },
    barMaxWidth: 36,
    barCategoryGap: '28%',
    itemStyle: { color, borderRadius: [2, 2, 0, 0] },
    label: {
      show: index === 0 && data.length <= MAX_LABELLED_BARS,
      position: 'top',
      color: INK,
      fontSize: 13,
      formatter: ({ value }: { value: number }) => (value === 0 ? '' : shortCount(value)),
    },
  };
}

function shortCount(value: number): string {
  return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
}

/**
 * The library's markup is for a page with its script. This removes what only the script uses, and adds texts for
 * screen readers.
 */
function accessible(svg: string, { title, description }: DeliveryChart): string {
  const bare = svg
    .replace(/<style(?:(?!<style)[\s\S])*?<\/style>/g, '')
    .replace(/ (?:class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
    .replace(/\n+/g, '');
  const head =
    `<svg role="img" aria-labelledby="chart-title chart-text" xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" ` +
    `viewBox="0 0 ${WIDTH} ${HEIGHT}" style="display:block;width:100%;max-width:100%;height:auto">` +
    `<title id="chart-title">${escapeHtml(title)}</title><desc id="chart-text">${escapeHtml(description)}</desc>`;
  return bare.replace(/^<svg[^>]*>/, () => head);
}
