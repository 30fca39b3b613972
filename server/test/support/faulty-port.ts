/** Called instead of a method of a port, with the method itself. */
export type Fault = (work: () => Promise<unknown>) => Promise<unknown>;

/** A port as it is, except for methods that `faults` has at the moment. */
export function faultyPort<Port extends object>(port: Port, faults: Map<keyof Port, Fault>): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      const fault = faults.get(key as keyof Port);
      if (fault === undefined) return value.bind(target);
      return (...args: unknown[]) => fault(() => value.apply(target, args) as Promise<unknown>);
    },
  });
}
