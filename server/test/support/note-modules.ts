/** Loaded before a server: appends the URLs of the modules that it loads to the file that NOTED_MODULES names. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env.NOTED_MODULES ?? '';

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    if (found.url.startsWith('file:')) appendFileSync(file, `${found.url}\n`);
    return found;
  },
});
