const REACH = 3;

/**
 * Reports `.catch(() => undefined)` and similar calls, unless a comment just above says why the failure does not
 * matter.
 */
export const silentCatch = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { silent: 'Say in a comment just above why nobody needs this failure, or report it.' },
  },
  create(context) {
    const ends = context.sourceCode.getAllComments().map(({ loc }) => loc.end.line);
    return {
      'CallExpression[callee.property.name="catch"] > ArrowFunctionExpression[params.length=0]'(node) {
        if (!saysNothing(node.body)) return;
        const { line } = node.parent.callee.property.loc.start;
        if (ends.some((end) => end <= line && end >= line - REACH)) return;
        context.report({ node, messageId: 'silent' });
      },
    };
  },
};

function saysNothing(body) {
  if (body.type === 'BlockStatement') return body.body.length === 0;
  if (body.type === 'ArrayExpression') return body.elements.length === 0;
  if (body.type === 'Literal') return body.value === null || body.value === '';
  return body.type === 'Identifier' && body.name === 'undefined';
}
