/** What every request asks for and what changes rarely, read again when it is older than so many milliseconds (of real time). */
export type ShortCache<V> = {
  /** At once when it is known. Throws what the reading throws; whoever asks next asks again. */
  get(key: string): V | Promise<V>
  forget(key: string): void
}

export function shortCache<V>(
  milliseconds: number,
  read: (key: string) => Promise<V>,
): ShortCache<V> {
  const known = new Map<string, { at: number; value: V | Promise<V> }>()
  return {
    get(key) {
      const before = known.get(key)
      if (before !== undefined && performance.now() - before.at < milliseconds) return before.value
      const value = read(key)
      const entry: { at: number; value: V | Promise<V> } = { at: performance.now(), value }
      known.set(key, entry)
      value.then(
        (told) => {
          entry.value = told
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
