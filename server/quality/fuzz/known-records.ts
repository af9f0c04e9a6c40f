/** What the service has answered to one workspace: requests are made of its ids and records. */
import fc from 'fast-check'
import { newId } from '../../src/core/ids.ts'
import type { Draws } from './draws.ts'

export type JsonRecord = Record<string, unknown>

const KEPT = 60
/** Of a long list the newest and the oldest are read. */
const NEWEST = 6
const OLDEST = 10
/** One id in this many fits another field. */
const OTHER_ID = 40

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export class KnownRecords {
  /** By the name of the field that takes them. */
  readonly ids = new Map<string, string[]>()
  /** By resource. */
  readonly records = new Map<string, JsonRecord[]>()

  /** Learns from an answer's data. `never` are ids that no request may use. */
  harvest(path: string, data: unknown, never: ReadonlySet<string>): void {
    const resource = resourceOf(path)
    for (const record of endsOf(Array.isArray(data) ? data : [data])) {
      if (isRecord(record) && 'id' in record && !this.#renew(record))
        keep(this.records, resource, record)
    }
    const walk = (value: unknown, field: string, depth: number): void => {
      if (typeof value === 'string') {
        if (isUsableId(value, field) && !never.has(value)) keep(this.ids, field, value)
      } else if (Array.isArray(value)) {
        for (const item of endsOf(value)) walk(item, field.replace(/s$/, ''), depth + 1)
      } else if (isRecord(value)) {
        const ownId = depth <= 1 ? resource : `${field.replace(/s$/, '')}_id`
        for (const [name, inner] of Object.entries(value))
          walk(inner, name === 'id' ? ownId : name, depth + 1)
      }
    }
    walk(data, resource.replace(/_id$/, ''), Array.isArray(data) ? 0 : 1)
  }

  /**
   * A known record is replaced wherever it stands, whichever endpoint answered it. False when it is
   * not known.
   */
  #renew(record: JsonRecord): boolean {
    let found = false
    for (const list of this.records.values()) {
      const place = list.findIndex(
        (known) =>
          known['id'] === record['id'] && Object.keys(known).every((name) => name in record),
      )
      if (place < 0) continue
      list[place] = record
      found = true
    }
    return found
  }

  /**
   * Ids that fit a field of this name, now and then any other one; a new one when none is known.
   * Drawn from what is known then.
   */
  idFor(field: string): fc.Arbitrary<string> {
    return fc.record({ other: fc.nat(OTHER_ID - 1), at: fc.nat() }).map(({ other, at }) => {
      const fitting = other === 0 ? [] : this.#idsFor(field)
      const ids = fitting.length > 0 ? fitting : [...this.ids.values()].flat()
      return ids[at % ids.length] ?? newId()
    })
  }

  #idsFor(field: string): string[] {
    const wanted = field.replace(/s_id$/, '_id').replace(/_ids$/, '_id')
    return [...this.ids]
      .filter(([name]) => wanted === name || wanted.endsWith(`_${name}`))
      .flatMap(([, ids]) => ids)
  }

  /** One of the records that fit. */
  find(
    draws: Draws,
    resource: string,
    fits: (record: JsonRecord) => boolean = () => true,
  ): JsonRecord | undefined {
    const records = (this.records.get(resource) ?? []).filter(fits)
    return records.length === 0 ? undefined : draws.pick(records)
  }

  /** The newest of the records that fit. */
  newest(resource: string, fits: (record: JsonRecord) => boolean): JsonRecord | undefined {
    return this.records.get(resource)?.findLast(fits)
  }
}

/**
 * `/accounts/matchings` and `/treasury/wallets/:wallet_id` name the resources `matching_id` and
 * `wallet_id`.
 */
export function resourceOf(path: string): string {
  const last =
    path
      .split('/')
      .filter((part) => part !== '' && !part.startsWith(':'))
      .at(-1) ?? ''
  const one = last.replace(/ies$/, 'y').replace(/ches$/, 'ch').replace(/s$/, '')
  return `${one.replaceAll('-', '_')}_id`
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUsableId = (value: string, field: string) =>
  UUID.test(value) && field !== 'workspace' && !field.startsWith('system_')

const endsOf = (list: readonly unknown[]): readonly unknown[] =>
  list.length <= NEWEST + OLDEST ? list : [...list.slice(0, NEWEST), ...list.slice(-OLDEST)]

function keep<T>(map: Map<string, T[]>, name: string, value: T): void {
  const list = map.get(name) ?? []
  map.set(name, list)
  if (typeof value === 'string' && list.includes(value)) return
  // Those that were known first stay.
  if (list.length >= KEPT) list.splice(KEPT >> 1, 1)
  list.push(value)
}
