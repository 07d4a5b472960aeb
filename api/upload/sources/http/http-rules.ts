import type { HttpSource } from '../source';
import type { SourceRules } from '../source-kind';

/** Whoever starts an upload checks the address before it is sealed. */
export const HTTP_RULES: SourceRules<HttpSource> = {
  check: () => undefined,
  label: ({ label }) => label,
};
