/**
 * For what every request needs and what changes rarely. A value is read again when it is older, in
 * real time, than the cache allows.
 */
export type ShortCache<V, K extends string = string> = {
  /** At once when it is known. Throws what `read` throws; the next call reads again. */
  get(key: K): V | Promise<V>
  forget(key: K): void
}

export function shortCache<V, K extends string = string>(
  milliseconds: number,
  read: (key: K) => Promise<V>,
): ShortCache<V, K> {
  const known = new Map<K, { at: number; value: V | Promise<V> }>()
  return {
    get(key) {
      const before = known.get(key)
      if (before !== undefined && performance.now() - before.at < milliseconds) return before.value
      const value = read(key)
      const entry: { at: number; value: V | Promise<V> } = { at: performance.now(), value }
      known.set(key, entry)
      value.then(
        (answer) => {
          entry.value = answer
        },
        () => {
          if (known.get(key) === entry) known.delete(key)
        },
      )
      return value
    },
    forget(key) {
      known.delete(key)
    },
  }
}
