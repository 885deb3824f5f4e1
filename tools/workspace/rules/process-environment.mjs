const message = 'process.env is read by libs/service-host only: add the setting to the schema of the service';

/** Settings arrive as an argument (house-style §6): no code but the host's reads the environment. */
export const processEnvironment = {
  meta: { type: 'problem' },
  create(/** @type {any} */ context) {
    const report = (/** @type {any} */ node) => context.report({ node, message });
    return {
      MemberExpression: (/** @type {any} */ node) => {
        if (isProcess(node.object) && [node.property.name, node.property.value].includes('env')) report(node);
      },
      VariableDeclarator: (/** @type {any} */ node) => {
        if (isProcess(node.init) && node.id.type === 'ObjectPattern' && names(node.id.properties).includes('env'))
          report(node);
      },
      ImportDeclaration: (/** @type {any} */ node) => {
        if (/^(node:)?process$/.test(node.source.value) && importedNames(node).includes('env')) report(node);
      },
    };
  },
};

/** @param {any} node */
function isProcess(node) {
  return (
    (node?.type === 'Identifier' && node.name === 'process') ||
    (node?.type === 'MemberExpression' && node.object.name === 'globalThis' && node.property.name === 'process')
  );
}

/** @param {any[]} properties */
function names(properties) {
  return properties.map(({ key }) => key?.name);
}

/** @param {any} node */
function importedNames(node) {
  return node.specifiers.map((/** @type {any} */ specifier) => specifier.imported?.name);
}
