/**
 * `export *` hides what a module offers, and lets two modules collide: index.ts names its exports (house-style §1).
 * Types generated from the schemas are the exception: their names are unique by a check of tools/contracts, and a new
 * schema adds its types without an edit to a shared list by hand.
 */
export const namedExports = {
  meta: { type: 'problem' },
  create(/** @type {any} */ context) {
    return {
      ExportAllDeclaration: (/** @type {any} */ node) => {
        if (node.exportKind === 'type' && node.source.value.endsWith('.generated.js')) return;
        context.report({ node, message: `export * from "${node.source.value}": name what you export` });
      },
    };
  },
};
