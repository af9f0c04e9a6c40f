/**
 * What the policy says of a withdrawal when it is composed: the row, its tasks and its events
 * follow from that. The lane asks once more, under its lock.
 */
import { requesterOf } from '../../access/index.ts'
import { format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { DepositId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import {
  countedParts,
  countedTotals,
  deniedError,
  isOff,
  judge,
  newApproval,
  policyInForce,
} from '../../ledger/index.ts'
import type {
  Change,
  Counted,
  Facts,
  Judgement,
  PolicyAsk,
  PolicyInForce,
  Totals,
} from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { TreasuryApp } from '../app.ts'
import type { PaymentWay } from '../routes/routes.ts'
import type { WithdrawalRow } from './rows.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** What is asked about. */
type AskedParts = {
  quantity: Decimal
  owners: readonly { customer_id: string; quantity: Decimal }[]
  requested_by: { returns_deposit_id?: DepositId; set_up_by?: readonly (string | null)[] }
  /** What the same change has asked before: it counts. */
  earlier?: readonly PolicyAsk[]
}

type Asked = {
  ask: PolicyAsk
  waits: boolean
  fields: Pick<WithdrawalRow, 'state' | 'policy_version' | 'counted' | 'approval_request_id'>
} & Required<Pick<Change, 'rows' | 'events' | 'tasks'>>

/** Throws 1003 POLICY_DENIED. */
export async function askPolicy(
  { by }: Pick<Caller, 'by'>,
  app: TreasuryApp,
  way: PaymentWay,
  parts: AskedParts & { id: string },
): Promise<Asked> {
  const policy = await policyInForce(app.db, way.workspace)
  if (isOff(policy)) return allowedByNone(policy)
  const { facts, judgement } = await judgeWithdrawal({ by }, app, way, { ...parts, policy })
  const { verdict, rule } = judgement
  if (verdict === 'DENY') throw deniedError(judgement)
  const ask = { policy, facts, expected: { verdict, rule } }
  const fields = { policy_version: policy.version, counted: countedParts(facts).map(stored) }
  if (verdict === 'ALLOW')
    return {
      ask,
      waits: false,
      fields: { ...fields, state: 'PENDING', approval_request_id: null },
      rows: [],
      events: [],
      tasks: [],
    }
  const waiting = await approvalOf({ by }, app, way, { ...parts, policy, judgement })
  return {
    ask,
    waits: true,
    fields: { ...fields, state: 'PENDING_APPROVAL', approval_request_id: waiting.id },
    ...waiting,
  }
}

const stored = ({ quantity, ...key }: Omit<Counted, 'quantity'> & { quantity: Decimal }) => ({
  ...key,
  quantity: format(quantity),
})

const allowedByNone = (policy: PolicyInForce): Asked => ({
  ask: { policy, facts: null, expected: { verdict: 'ALLOW', rule: null } },
  waits: false,
  fields: {
    state: 'PENDING',
    policy_version: policy.version,
    counted: null,
    approval_request_id: null,
  },
  rows: [],
  events: [],
  tasks: [],
})

/** What the policy says of it now; nothing is counted. */
export async function judgeWithdrawal(
  { by }: Pick<Caller, 'by'>,
  app: Pick<TreasuryApp, 'db' | 'clock'>,
  way: PaymentWay,
  { policy, quantity, owners, requested_by, earlier = [] }: AskedParts & { policy: PolicyInForce },
): Promise<{ facts: Facts; judgement: Judgement }> {
  const { workspace } = way
  const { requester } = await requesterOf(app.db, workspace, by)
  const at = app.clock.now()
  const facts: Facts = {
    command: 'WITHDRAWAL',
    at,
    requester,
    asset: way.from_wallet.asset,
    quantity,
    route_id: way.id,
    customers: owners.map((owner) => ({
      customer_id: owner.customer_id,
      quantity: owner.quantity,
    })),
    destination: await destinationOf(app.db, way, at, requested_by.returns_deposit_id),
  }
  const counted = await countedTotals(app.db, workspace, countedParts(facts))
  return { facts, judgement: judge(policy, facts, withEarlier(counted, earlier)) }
}

const withEarlier = (counted: Totals, earlier: readonly PolicyAsk[]): Totals => {
  const parts = earlier.flatMap(({ facts }) => (facts === null ? [] : countedParts(facts)))
  return ({ per, key, asset, day }) =>
    parts.reduce(
      (total, part) =>
        part.per === per && part.key === key && part.asset === asset && part.day === day
          ? total + part.quantity
          : total,
      counted({ per, key, asset, day }),
    )
}

/**
 * Where it goes: whether anything of ours has arrived there, and since when it is what it is. The
 * payer of a deposit is known since the deposit.
 */
async function destinationOf(
  reader: Reader,
  { workspace, id, to_wallet, transfer }: PaymentWay,
  at: number,
  deposit_id: DepositId | undefined,
): Promise<NonNullable<Facts['destination']>> {
  const [found] = await reader.query<{ is_new: boolean; since: number | null }>(sql`
    select not exists (
        select
        from withdrawals
        where workspace = ${workspace}
          and destination_address = ${to_wallet.address}
          and tag is not distinct from ${transfer.to['tag'] ?? null}
          and ${stateIn(WITHDRAWAL_MOVES, 'SUCCESS')}
          and origin <> 'EXTERNAL'
      ) as is_new,
      coalesce(
        greatest(
          (
            select address_since
            from wallets
            where workspace = ${workspace}
              and id = ${to_wallet.id}
          ),
          (
            select destination_since
            from treasury_routes
            where workspace = ${workspace}
              and id = ${id}
          )
        ),
        (
          select system_created_at
          from deposits
          where workspace = ${workspace}
            and id = ${deposit_id ?? null}
        )
      ) as since`)
  return { is_new: found?.is_new ?? true, since: found?.since ?? at }
}

async function approvalOf(
  { by }: Pick<Caller, 'by'>,
  app: TreasuryApp,
  { workspace, from_wallet }: PaymentWay,
  {
    id: record_id,
    quantity,
    requested_by: { set_up_by = [] },
    policy,
    judgement,
  }: AskedParts & { id: string; policy: PolicyInForce; judgement: Judgement },
): Promise<{ id: string } & Pick<Asked, 'rows' | 'events' | 'tasks'>> {
  const people = [by, ...set_up_by.filter((who) => who !== null)]
  const excluded: string[] = []
  for (const who of new Set(people))
    excluded.push(...(await requesterOf(app.db, workspace, who)).excluded)
  const asked = {
    workspace,
    command: 'WITHDRAWAL' as const,
    record_id: record_id as WithdrawalRow['id'],
    asset: from_wallet.asset,
    quantity: format(quantity),
    requested_by: by,
  }
  const { version: policy_version } = policy
  const stamp = { by, now: app.clock.now() }
  return newApproval({ ...asked, policy_version, judgement, excluded }, stamp)
}
