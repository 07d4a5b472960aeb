import relativeLinks from 'markdownlint-rule-relative-links';

export default {
  globs: ['**/*.md'],
  ignores: ['**/node_modules', '**/dist', 'packages/media-service/docs', '.github'],
  customRules: [relativeLinks],
  config: {
    'relative-links': true,
    'line-length': { line_length: 120, code_block_line_length: 120 },
    // Pictures for light and dark screens.
    'no-inline-html': { allowed_elements: ['picture', 'source', 'img', 'br', 'sub'] },
    'no-duplicate-heading': { siblings_only: true },
    // Addresses on this machine.
    'no-bare-urls': false,
    // An indented block is output that no test runs.
    'code-block-style': false,
  },
};
