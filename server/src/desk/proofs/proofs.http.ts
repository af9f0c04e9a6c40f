import type { AccountId, ProofId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { closed, endpoint, id, listEndpoint } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { accountProof, makeProof, proofById, proofOf, SELECT_PROOFS } from './proofs.ts'
import type { ProofRow } from './proofs.ts'
import { AccountProof, ProofRecord } from './proofs.schema.ts'

const common = {
  tag: 'Proofs',
  origin: { ours: 'customers check alone that what they own is counted' },
} as const

export const proofsEndpoints = ({ db, clock }: { db: Db; clock: Clock }): Endpoint[] => [
  endpoint({
    ...common,
    method: 'POST',
    operation_id: 'makeProof',
    path: '/proofs',
    summary: 'Make a proof of segregation',
    permission: 'proofs.create',
    effect: 'transaction',
    description:
      'Per asset what customers own by the books, as a Merkle sum tree, beside what is held for ' +
      'them. Balances below 0 are shown beside, and never taken off. Refused: CONFLICT while no ' +
      'customer has anything.',
    data: ProofRecord,
    handle: ({ caller }, tx) => makeProof(caller, tx, clock),
  }),
  listEndpoint({
    ...common,
    operation_id: 'listProofs',
    path: '/proofs',
    summary: 'List the proofs of segregation',
    permission: 'bookings.read',
    data: ProofRecord,
    list: ({ principal: { workspace } }) => ({
      select: SELECT_PROOFS,
      conditions: [sql`workspace = ${workspace}`],
      key: { column: 'id', type: 'uuid' },
      enrich: (rows: ProofRow[]) => Promise.resolve(rows.map(proofOf)),
    }),
  }),
  endpoint({
    ...common,
    method: 'GET',
    operation_id: 'getProof',
    path: '/proofs/:proof_id',
    summary: 'One proof of segregation',
    permission: 'bookings.read',
    effect: 'read',
    params: closed({ proof_id: id<ProofId>() }),
    data: ProofRecord,
    handle: ({ params: { proof_id }, principal: { workspace } }) =>
      proofById(db, workspace, proof_id),
  }),
  endpoint({
    ...common,
    method: 'GET',
    operation_id: 'getAccountProof',
    path: '/proofs/:proof_id/accounts/:account_id',
    summary: "A customer's own proof, which they check alone",
    permission: 'bookings.read',
    effect: 'read',
    description:
      'All that it takes to check that the balances of this account are counted, without Kontor: ' +
      'by `kontor check-proof`, or by what docs/proof-of-segregation.md says. Empty for an ' +
      'account that had nothing then.',
    params: closed({ proof_id: id<ProofId>(), account_id: id<AccountId>() }),
    data: AccountProof,
    handle: ({ params, principal: { workspace } }) => accountProof(db, workspace, params),
  }),
]
