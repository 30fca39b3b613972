import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import { start, tenant } from '../change-builder.ts';

/** A test with a catalog of its own. */
export function catalogTest(
  name: string,
  makeCatalog: () => Promise<Catalog>,
  body: (catalog: Catalog) => Promise<void>,
): void {
  test(name, async () => {
    const catalog = await makeCatalog();
    try {
      await body(catalog);
    } finally {
      await catalog.close();
    }
  });
}

export async function refused(promise: Promise<unknown>, kind: ErrorKind, text?: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof FrameholdError, `a FrameholdError, not ${error}`);
    assert.equal(error.kind, kind, error.message);
    if (text) assert.match(error.message, text);
    return true;
  });
}

export async function partIds(catalog: Catalog, name: string, version: number): Promise<string[]> {
  const parts = await catalog.parts(tenant, name, version);
  return parts.map((part) => part.id);
}

/** Garbage, which stays where it is. */
export function garbageOf(catalog: Catalog, limit: number): Promise<readonly string[]> {
  return catalog.takeGarbage({ limit, delayMs: 0, leaseMs: 0, now: start });
}

export async function sortedGarbage(catalog: Catalog): Promise<string[]> {
  return [...(await garbageOf(catalog, 1000))].sort();
}
