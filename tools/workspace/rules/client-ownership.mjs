import { relative } from 'node:path';

// house-style §1: each external system has one owner. Nx's rule bans packages by tag, and all platform libs share one
// tag, so that a platform lib imports no other owner's client is held here.
const owners = [
  { packages: ['kafkajs', '@kafkajs/confluent-schema-registry'], folders: ['libs/kafka'] },
  // Test support makes and drops whole databases, which the product never does.
  { packages: ['pg', 'typeorm', '@nestjs/typeorm'], folders: ['libs/database', 'libs/test-support'] },
  {
    packages: ['fastify', '@fastify/*', '@nestjs/platform-fastify', '@nestjs/swagger'],
    folders: ['libs/service-host', 'services/ingestion'],
  },
  { packages: ['avsc'], folders: ['libs/contracts'] },
  { packages: ['ai', '@ai-sdk/*', 'openai', '@anthropic-ai/*'], folders: ['libs/language-model'] },
];

/**
 * @param {string} specifier 'kafkajs', or deep: 'kafkajs/src/index.js'
 * @returns {string[] | undefined} the folders that may import it; undefined = nobody owns it
 */
function ownersOf(specifier) {
  return owners.find(({ packages }) => packages.some((name) => isWithin(specifier, name)))?.folders;
}

/** @type {(specifier: string, name: string) => boolean} */
function isWithin(specifier, name) {
  if (name.endsWith('/*')) return specifier.startsWith(name.slice(0, -1));
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** Only the lib that owns an external system may import its client. */
export const clientOwnership = {
  meta: { type: 'problem' },
  create(/** @type {any} */ context) {
    const path = relative(context.cwd, context.filename);
    const check = (/** @type {any} */ node, /** @type {any} */ source) => {
      const folders = typeof source?.value === 'string' ? ownersOf(source.value) : undefined;
      if (!folders || folders.some((folder) => path.startsWith(`${folder}/`))) return;
      const message = `"${source.value}" belongs to ${folders.join(' and ')}: use what @anabranch/${folders[0]?.split('/')[1]} exports`;
      context.report({ node, message });
    };
    return {
      ImportDeclaration: (/** @type {any} */ node) => check(node, node.source),
      ImportExpression: (/** @type {any} */ node) => check(node, node.source),
      ExportNamedDeclaration: (/** @type {any} */ node) => check(node, node.source),
      ExportAllDeclaration: (/** @type {any} */ node) => check(node, node.source),
      TSImportType: (/** @type {any} */ node) => check(node, node.source ?? node.argument),
      CallExpression: (/** @type {any} */ node) => {
        if (node.callee.name === 'require') check(node, node.arguments[0]);
      },
    };
  },
};
