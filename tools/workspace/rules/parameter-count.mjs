const injectedLimit = 5;
const limit = 3;

/**
 * More than three parameters become one options object; what Nest injects, into a constructor or by a decorator into a
 * handler, may be five (house-style §3).
 */
export const parameterCount = {
  meta: { type: 'suggestion' },
  create(/** @type {any} */ context) {
    const check = (/** @type {any} */ node) => {
      const count = node.params.length;
      const most = isInjected(node) ? injectedLimit : limit;
      if (count <= most) return;
      context.report({ node, message: `${count} parameters, at most ${most} here: pass one options object` });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

/** @param {any} node */
function isInjected(node) {
  const isDecorated = (/** @type {any} */ parameter) => parameter.decorators?.length > 0;
  return node.parent?.kind === 'constructor' || (node.params.length > 0 && node.params.every(isDecorated));
}
