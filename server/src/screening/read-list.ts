/** What is read of a list, whatever its form. */

/** An address of a coin, or the code of a bank, as the list has it. */
type ListedAddress = {
  /** XBT, ETH, …, or BIC. New ones come, so none is expected. */
  kind: string
  address: string
}

export type ListedEntry = {
  /** The list's own number of it. */
  key: string
  /** As the list says it: individual, entity, vessel. */
  type: string | null
  /** The first is the main one. */
  names: string[]
  addresses: ListedAddress[]
  programs: string[]
  /** What the list says further, for who decides. */
  remarks: string | null
}

/** A record that cannot be read. `key`: the entry that it belongs to, where that can be told. */
export type ListFault = { file: string; line: number; reason: string; key?: string }

export type ReadList = {
  /** The day of the list, where the files say it. */
  published: string | null
  entries: ListedEntry[]
  faults: ListFault[]
}

const MAXIMUM_REMARKS = 4_000
const MAXIMUM_NAME = 500

/** Gathers entries whose parts stand in several places. */
export class EntriesInWork {
  readonly #entries = new Map<string, ListedEntry>()
  readonly #remarks = new Map<string, string[]>()

  of(key: string): ListedEntry {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const made = { key, type: null, names: [], addresses: [], programs: [], remarks: null }
    this.#entries.set(key, made)
    return made
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  addName(key: string, name: string): void {
    const { names } = this.of(key)
    const text = name.replace(/\s+/g, ' ').trim().slice(0, MAXIMUM_NAME)
    if (text !== '' && !names.includes(text)) names.push(text)
  }

  addAddress(key: string, { kind, address }: ListedAddress): void {
    const { addresses } = this.of(key)
    if (!addresses.some((one) => one.kind === kind && one.address === address))
      addresses.push({ kind, address })
  }

  addRemark(key: string, remark: string): void {
    this.#remarks.set(key, [...(this.#remarks.get(key) ?? []), remark])
  }

  remarksOf(key: string): string {
    return (this.#remarks.get(key) ?? []).join('')
  }

  keys(): string[] {
    return [...this.#entries.keys()]
  }

  /** Those that can be found by something. */
  entries(): ListedEntry[] {
    return [...this.#entries.values()]
      .filter(({ names, addresses }) => names.length > 0 || addresses.length > 0)
      .map((entry) => ({
        ...entry,
        remarks: this.remarksOf(entry.key).trim().slice(0, MAXIMUM_REMARKS) || null,
      }))
  }
}
