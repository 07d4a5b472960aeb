import { Help, type HelpConfiguration } from 'commander';
import { wrapLine } from './output/wrap-text';

/** If fewer columns are left for a flag's description, it goes below the flag. */
const MIN_COLUMNS = 24;
const BESIDE = 4;
const USAGE = 'Usage: '.length;

/** Configures commander's layout for help of this many columns: even on a narrow terminal no line is wider. */
export function helpShape(columns: number): HelpConfiguration {
  return {
    minWidthToWrap: MIN_COLUMNS,
    styleUsage: (usage) => wrapLine(usage, columns - USAGE, USAGE),
    formatItem(term, termWidth, description, helper) {
      if (columns - termWidth - BESIDE >= MIN_COLUMNS)
        return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
      return [wrapLine(`  ${term}`, columns, 4), wrapLine(`      ${description}`, columns, 6)].join('\n');
    },
  };
}
