/**
 * Whether the audit trail tells of each call: an entry for what changed a row, none for what did
 * not, and one for what was refused. Of calls that are made alone.
 */
import { sql } from '../../src/store/sql.ts'
import type { HttpAnswer, ServiceUnderTest } from '../service-under-test.ts'
import type { RequestPlan } from './requests.ts'

/** Entries of what was done, in all and by request and record, and how much was refused. */
type Written = { entries: number; effects: number; refused: number }
type Before = { state: Map<string, string>; written: Written }

const NOTED = ['CALL_REFUSED', 'CALL_FAILED', 'PERMISSION_DENIED', 'TOKEN_REFUSED']

/** A check reads all tables twice: of each endpoint the first calls, then one of several. */
const FIRST = 6
const ONE_OF = 8

export class Trail {
  readonly #service: ServiceUnderTest
  readonly #calls = new Map<string, number>()

  constructor(service: ServiceUnderTest) {
    this.#service = service
  }

  /** Without an answer the call is not checked. */
  async before(plan: RequestPlan): Promise<Before | undefined> {
    if (!isRecorded(plan)) return undefined
    const operation = plan.endpoint?.operation_id ?? ''
    const calls = (this.#calls.get(operation) ?? 0) + 1
    this.#calls.set(operation, calls)
    if (calls > FIRST && calls % ONE_OF !== 0) return undefined
    return { state: await this.#service.fingerprint(), written: await this.#written() }
  }

  /** Answers what is wrong. */
  async fault(plan: RequestPlan, answer: HttpAnswer, before: Before): Promise<string | undefined> {
    const { endpoint } = plan
    const written = await this.#written()
    const entries = written.entries - before.written.entries
    const after = await this.#service.fingerprint()
    const changed = [...after]
      .filter(([name, value]) => name !== 'idempotency_keys' && before.state.get(name) !== value)
      .map(([name]) => name)
    if (changed.length > 0 && entries === 0)
      return `changed ${changed.join()} without an entry in the audit trail`
    if (changed.length === 0 && entries > 0 && !isOfLog(endpoint?.path ?? ''))
      return 'changed nothing and has an entry in the audit trail'
    if (entries > written.effects - before.written.effects && endpoint?.effect !== 'venue')
      return 'has two entries for one effect in the audit trail'
    if (answer.status < 400 || answer.status === 401 || answer.status === 429) return undefined
    return written.refused > before.written.refused
      ? undefined
      : 'was refused without an entry in the audit trail'
  }

  async #written(): Promise<Written> {
    const { security } = this.#service.app.access
    await security.write()
    const { held } = security
    const [row] = await this.#service.app.db.query<Written>(sql`
      select count(*) filter (where not noted) as entries,
        count(distinct (request_id, record_id, kind)) filter (where not noted) as effects,
        coalesce(sum(count) filter (where noted), 0)::bigint as refused
      from (
        select *, kind = any(${NOTED}) as noted
        from security_log
        where kind <> 'READ' and (request_id is not null or kind = any(${NOTED}))
      ) as s`)
    const { entries = 0, effects = 0, refused = 0 } = row ?? {}
    await security.write()
    // Meanwhile some may have been written, and would be missing or count twice.
    if (security.held !== held) return this.#written()
    return { entries, effects, refused: refused + held }
  }
}

/** A call as its endpoint takes it, of somebody who is let in. */
function isRecorded({ endpoint, method, how }: RequestPlan): boolean {
  if (endpoint === undefined || endpoint.method !== method || method === 'GET') return false
  if (endpoint.effect === 'read' || endpoint.permission === 'public') return false
  if (endpoint.unrecorded !== undefined) return false
  return how === 'sensible' || how === 'another value in the body'
}

/** What these change is none of the tables that are compared. */
const isOfLog = (path: string): boolean => path.startsWith('/auth/')
