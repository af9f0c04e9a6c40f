/** What every request asks for and what changes rarely, read again when it is older than so many milliseconds (of real time). */
export type Recent<V> = {
  /** Throws what the reading throws; whoever asks next asks again. */
  get(key: string): Promise<V>
  forget(key: string): void
}

export function recent<V>(milliseconds: number, read: (key: string) => Promise<V>): Recent<V> {
  const known = new Map<string, { at: number; value: Promise<V> }>()
  return {
    get(key) {
      const before = known.get(key)
      if (before !== undefined && performance.now() - before.at < milliseconds) return before.value
      const entry = { at: performance.now(), value: read(key) }
      known.set(key, entry)
      entry.value.catch(() => { if (known.get(key) === entry) known.delete(key) })
      return entry.value
    },
    forget(key) { known.delete(key) },
  }
}
