import { Option } from 'commander';
import { numberFrom } from './option-values';

/** `--page` requests one page, and conflicts with flags that request several. */
export function onePage(help: string): Option {
  return new Option('--page <n>', `${help}; not with --all or --limit`)
    .argParser(numberFrom(0))
    .conflicts(['all', 'limit']);
}
