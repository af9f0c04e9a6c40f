/**
 * The one way in which a settlement changes: read at a version, gathered in a draft, committed as
 * one change of the lane at that version.
 */
import { withFailpoints } from '../core/failpoint.ts'
import type { SettlementId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { move } from '../core/moves.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { commitWithReply, retryOnStale } from '../ledger/index.ts'
import type {
  Change,
  EventDraft,
  EventOf,
  Guard,
  HaltScope,
  LedgerStep,
  Moved,
  PolicyAsk,
  TaskOfChange,
} from '../ledger/index.ts'
import { updateGuardedRow } from '../store/rows.ts'
import type { Query } from '../store/sql.ts'
import { PARTS, settlementRow, SETTLEMENTS, showSettlement } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { PART_MOVES, SETTLEMENT_MOVES } from './settlements.schema.ts'
import type { Part, PartState, Settlement, SettlementState } from './settlements.schema.ts'

/** Reads and decides anew when the settlement has changed by the time of the commit. */
export function changeSettlement(
  { workspace, idempotency }: Caller,
  app: SettlementsApp,
  id: SettlementId,
  work: (before: SettlementRow) => Promise<Settlement>,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => work(await settlementRow(app.db, workspace, id))),
  )
}

type Effects = Pick<
  Change,
  'guards' | 'ledger' | 'rows' | 'events' | 'tasks' | 'halt' | 'moves' | 'policy'
>

/** What one change does to a settlement, gathered step by step. */
export class SettlementDraft {
  readonly before: SettlementRow
  readonly guards: Guard[] = []
  readonly ledger: LedgerStep[] = []
  readonly rows: Query[] = []
  readonly events: EventDraft[] = []
  readonly tasks: TaskOfChange[] = []
  /** What leaves by withdrawals. */
  readonly moves: Moved[] = []
  readonly policy: PolicyAsk[] = []
  readonly #halts: HaltScope[] = []
  readonly #parts = new Map<string, PartRow>()
  readonly #replaced = new Set<string>()
  readonly #added: PartRow[] = []

  constructor(before: SettlementRow) {
    this.before = before
  }

  add(effects: Effects): void {
    const { guards = [], ledger = [], rows = [], events = [], tasks = [], moves = [] } = effects
    const { halt, policy = [] } = effects
    this.policy.push(...policy)
    this.guards.push(...guards)
    this.ledger.push(...ledger)
    this.rows.push(...rows)
    this.events.push(...events)
    this.tasks.push(...tasks)
    this.moves.push(...moves)
    if (halt !== undefined) this.#halts.push(halt)
  }

  movePart(part: PartRow, state: PartState, set: Partial<Part>): void {
    this.guards.push({
      table: 'settlement_parts',
      resource: 'settlement part',
      id: part.id,
      ...move(PART_MOVES, part.state, state),
      version: part.version,
    })
    this.updatePart({ ...part, ...set, state })
  }

  /** Of a part that stays in its state. */
  updatePart(part: PartRow): void {
    const { withdrawal_id, deposit_id, reason, note, confirmed_by } = part
    const { initiated_at, completed_at } = part
    this.rows.push(
      updateGuardedRow(PARTS, {
        where: { workspace: this.before.workspace, id: part.id },
        set: {
          withdrawal_id,
          deposit_id,
          reason,
          note,
          confirmed_by,
          initiated_at,
          completed_at,
        },
      }),
    )
    this.#parts.set(part.id, part)
  }

  /** `added` stand for `replaced`. The caller writes both. */
  replaceParts(replaced: readonly PartRow[], added: readonly PartRow[]): void {
    for (const part of replaced) this.#replaced.add(part.id)
    this.#added.push(...added)
  }

  /** In the order in which they were changed. */
  changedParts(): PartRow[] {
    return [...this.#parts.values()]
  }

  /** All parts, as they are then. */
  parts(): PartRow[] {
    const known = this.before.parts.filter((part) => !this.#replaced.has(part.id))
    return [...known.map((part) => this.#parts.get(part.id) ?? part), ...this.#added]
  }

  /** The settlement as it is then. */
  after(set: Partial<SettlementRow> = {}): SettlementRow {
    return { ...this.before, parts: this.parts(), ...set }
  }

  haltScope(): Pick<Change, 'halt'> {
    if (this.#halts.length === 0) return {}
    return {
      halt: {
        action: 'WITHDRAWALS',
        venue_ids: [...new Set(this.#halts.flatMap((halt) => halt.venue_ids))],
        assets: [...new Set(this.#halts.flatMap((halt) => halt.assets))],
      },
    }
  }
}

export function settlementEvent(
  type: EventOf<'settlement'>,
  { id, state, nets }: Pick<Settlement, 'id' | 'state' | 'nets'>,
  more: Record<string, Json> = {},
): EventDraft {
  return { type: `settlement.${type}`, resource_id: id, data: { state, nets, ...more } }
}

/** As it was read; moves it where the state is another one. */
function settlementGuard({ id, state, version }: SettlementRow, to: SettlementState): Guard {
  const moves = state === to ? { from: [state] } : move(SETTLEMENT_MOVES, state, to)
  return { table: 'settlements', resource: 'settlement', id, ...moves, version }
}

type Commit = {
  /** Names the failpoints. */
  name: string
  after: SettlementRow
  class?: Change['class']
}

/**
 * Answers the settlement as it is then, or as it was when this request was done before.
 */
export function commitSettlement(
  caller: Caller,
  app: SettlementsApp,
  draft: SettlementDraft,
  { name, after, class: changeClass = 'command' }: Commit,
): Promise<Settlement> {
  const { workspace, id, version } = draft.before
  const record: Settlement = {
    ...showSettlement(after),
    version: version + 1,
    system_updated_at: app.clock.now(),
    system_updated_by: caller.by,
  }
  const { nets, corrections, reason, completed_at } = after
  const change: Change = {
    workspace,
    by: caller.by,
    class: changeClass,
    guards: [settlementGuard(draft.before, after.state), ...draft.guards],
    ledger: draft.ledger,
    rows: [
      updateGuardedRow(SETTLEMENTS, {
        where: { workspace, id },
        set: { nets, corrections, reason, completed_at },
      }),
      ...draft.rows,
    ],
    events: draft.events,
    tasks: draft.tasks,
    ...(draft.moves.length === 0 ? {} : { moves: draft.moves }),
    ...(draft.policy.length === 0 ? {} : { policy: draft.policy }),
    ...draft.haltScope(),
  }
  return withFailpoints(`settlement.${name}`, id, () =>
    commitWithReply(app.lane, caller, change, record),
  )
}
