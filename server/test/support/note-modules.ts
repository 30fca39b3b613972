/** Loaded before a server: appends the packages that it loads to the file that NOTED_MODULES names. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env.NOTED_MODULES ?? '';

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(found.url) ?? [];
    if (name !== undefined) appendFileSync(file, `${name}\n`);
    return found;
  },
});
