/** An engine process that never says that it is ready, as on a machine that has no time for it. */
setInterval(() => {}, 1_000);
