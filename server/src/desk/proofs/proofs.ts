/**
 * Proofs of segregation: what customers own by the books, beside what is held for them. Made in one
 * transaction, which reads all balances by one statement, so that they are those of one sequence;
 * its cost is that of the accounts with a balance.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, ProofId, WorkspaceId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { accountById } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { AccountProof, Proof } from './proofs.schema.ts'
import {
  emptyHash,
  growTrees,
  HIGHEST_LEVEL,
  isBelowTop,
  leafHash,
  ownerHash,
  PROOF_FORMAT,
} from './trees.ts'

/** Refuses CONFLICT while no customer has anything. */
export async function makeProof({ workspace, by }: Caller, tx: Tx, clock: Clock): Promise<Proof> {
  const proof_id: ProofId = newId()
  const salt = randomBytes(32)
  await tx.query(readBalances({ workspace, by, proof_id, salt, now: clock.now() }))
  await withFailpoints('proof.grow', proof_id, () => growTrees(tx, { workspace, proof_id }))
  const proof = await proofById(tx, workspace, proof_id)
  if (proof.trees.length === 0)
    throw refuse('CONFLICT', '', 'there is nothing to prove: no customer has a balance')
  return proof
}

type Reading = {
  workspace: WorkspaceId
  by: string | null
  proof_id: ProofId
  salt: Buffer
  now: number
}

/** Also what a venue has said that the books know nothing of. */
const held = (workspace: WorkspaceId) => sql`
  venues as (
    select coalesce(b.asset, p.asset) as asset, coalesce(b.venue_id, p.venue_id) as venue_id,
      coalesce(b.total, 0) as ledger, p.venue, p.compared_at
    from (
      select asset, venue_id, total
      from read
      where type = 'VENUE'
    ) as b
    full join (
      select asset, venue_id, sum(venue) as venue, min(compared_at) as compared_at
      from positions
      where workspace = ${workspace}
      group by asset, venue_id
    ) as p on p.venue_id = b.venue_id
      and p.asset = b.asset
    where b.total <> 0
      or p.venue <> 0
  ),
  held as (
    select asset,
      jsonb_agg(
        jsonb_build_object(
          'venue_id', venue_id, 'ledger', trim_scale(ledger)::text,
          'venue', trim_scale(venue)::text, 'compared_at', compared_at
        )
        order by venue_id
      ) as held
    from venues
    group by asset
  )`

const LEAF = leafHash({
  owner: raw('owner'),
  asset: raw('asset'),
  sum: raw('sum'),
  nonce: raw('nonce'),
})

/**
 * One statement, and so one moment: the lane writes its sequence and the balances together. Leaves
 * stand in the order of their salted owners, which tells nothing of when an account was opened.
 */
const readBalances = ({ workspace, by, proof_id, salt, now }: Reading) => sql`
  with read as materialized (
    select b.asset, b.account_id, b.total, a.type, a.venue_id,
      max(greatest(s.scale, scale(trim_scale(b.total)))) over (partition by b.asset) as decimals
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    join assets s on s.workspace = b.workspace
      and s.code = b.asset
    where b.workspace = ${workspace}
      and b.total <> 0
      and a.type in ('CUSTOMER', 'VENUE', 'TRANSIT', 'SUSPENSE')
  ),
  ${held(workspace)},
  made as (
    insert into proofs (
      workspace, id, sequence, batch_no, books_hash, salt, system_created_at, system_created_by
    )
    select workspace, ${proof_id}, booking_sequence, batch_no, last_hash, ${salt}, ${now}, ${by}
    from lanes
    where workspace = ${workspace}
  ),
  leaves as materialized (
    select asset, account_id, ${ownerHash(sql`${salt}::bytea`, raw('account_id'))} as owner,
      round(total * 10::numeric ^ decimals) as sum,
      decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex') as nonce
    from read
    where type = 'CUSTOMER'
      and total > 0
  ),
  planted as (
    insert into proof_nodes (
      workspace, proof_id, asset, level, position, sum, hash, account_id, nonce
    )
    select ${workspace}, ${proof_id}, asset, 0,
      row_number() over (partition by asset order by owner) - 1, sum,
      ${LEAF},
      account_id, nonce
    from leaves
  )
  insert into proof_trees (
    workspace, proof_id, asset, decimals, leaves, total, debtors, debts, held, in_transit,
    unassigned
  )
  select ${workspace}, ${proof_id}, r.asset, max(r.decimals),
    count(*) filter (where r.type = 'CUSTOMER' and r.total > 0),
    round(
      coalesce(sum(r.total) filter (where r.type = 'CUSTOMER' and r.total > 0), 0)
        * 10::numeric ^ max(r.decimals)
    ),
    count(*) filter (where r.type = 'CUSTOMER' and r.total < 0),
    coalesce(-sum(r.total) filter (where r.type = 'CUSTOMER' and r.total < 0), 0),
    coalesce((select h.held from held h where h.asset = r.asset), '[]'),
    coalesce(sum(r.total) filter (where r.type = 'TRANSIT'), 0),
    coalesce(sum(r.total) filter (where r.type = 'SUSPENSE'), 0)
  from read r
  group by r.asset
  having count(*) filter (where r.type = 'CUSTOMER') > 0`

const TREES = sql`
  coalesce(
    (
      select jsonb_agg(
        jsonb_build_object(
          'asset', t.asset, 'decimals', t.decimals, 'root', encode(t.root, 'hex'),
          'leaves', t.leaves,
          'total', trim_scale(t.total / 10::numeric ^ t.decimals)::text,
          'debtors', t.debtors, 'debts', trim_scale(t.debts)::text,
          'held', t.held, 'in_transit', trim_scale(t.in_transit)::text,
          'unassigned', trim_scale(t.unassigned)::text
        )
        order by t.asset
      )
      from proof_trees t
      where t.workspace = proofs.workspace
        and t.proof_id = proofs.id
    ),
    '[]'
  ) as trees`

export const SELECT_PROOFS = sql`
  select id, sequence, batch_no, encode(books_hash, 'hex') as books_hash, ${TREES},
    system_created_at, system_created_by
  from proofs`

type Tree = Proof['trees'][number]
export type ProofRow = Omit<Proof, 'trees'> & {
  trees: Omit<Tree, 'difference' | 'reported' | 'reported_difference'>[]
}

export const proofOf = ({ trees, ...proof }: ProofRow): Proof => ({
  ...proof,
  trees: trees.map((tree) => {
    const less = (held: Decimal) => format(held + decimal(tree.in_transit) - decimal(tree.total))
    const ledger = sum(tree.held.map((one) => decimal(one.ledger)))
    const said = tree.held.flatMap(({ venue }) => (venue === null ? [] : [decimal(venue)]))
    const reported = said.length < tree.held.length ? null : sum(said)
    return {
      ...tree,
      difference: less(ledger),
      reported: reported === null ? null : format(reported),
      reported_difference: reported === null ? null : less(reported),
    }
  }),
})

/** Throws 4004. */
export async function proofById(
  reader: Reader,
  workspace: WorkspaceId,
  id: ProofId,
): Promise<Proof> {
  const row = only(
    await reader.query<ProofRow>(sql`
      ${SELECT_PROOFS}
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (row === undefined) throw notFound('proof', id, 'proof_id')
  return proofOf(row)
}

type Balance = AccountProof['balances'][number]

/** Empty for an account that had nothing then. Throws 4004. */
export async function accountProof(
  reader: Reader,
  workspace: WorkspaceId,
  { proof_id, account_id }: { proof_id: ProofId; account_id: AccountId },
): Promise<AccountProof> {
  await accountById(reader, workspace, account_id)
  await proofById(reader, workspace, proof_id)
  const balances = await reader.query<Omit<Balance, 'format'>>(sql`
    select p.id as proof_id, p.sequence, p.system_created_at as taken_at,
      encode(p.books_hash, 'hex') as books_hash, t.asset, t.decimals, t.leaves,
      t.total::text as total, n.account_id, n.sum::text as amount, n.position,
      encode(p.salt, 'hex') as salt, encode(n.nonce, 'hex') as nonce,
      ${SIBLINGS} as siblings, encode(t.root, 'hex') as root
    from proof_nodes n
    join proofs p on p.workspace = n.workspace
      and p.id = n.proof_id
    join proof_trees t on t.workspace = n.workspace
      and t.proof_id = n.proof_id
      and t.asset = n.asset
    where n.workspace = ${workspace}
      and n.proof_id = ${proof_id}
      and n.account_id = ${account_id}
    order by t.asset`)
  return { balances: balances.map((balance) => ({ format: PROOF_FORMAT, ...balance })) }
}

/** Where there is none, the empty node, which counts nothing. */
const SIBLINGS = sql`(
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'sum', coalesce(s.sum, 0)::text, 'hash', encode(coalesce(s.hash, ${emptyHash()}), 'hex')
      )
      order by depth.level
    ),
    '[]'
  )
  from generate_series(0, ${HIGHEST_LEVEL}) as depth(level)
  left join proof_nodes s on s.workspace = n.workspace
    and s.proof_id = n.proof_id
    and s.asset = n.asset
    and s.level = depth.level
    and s.position = (n.position >> depth.level) # 1
  where ${isBelowTop('depth.level', 't.leaves')}
)`
