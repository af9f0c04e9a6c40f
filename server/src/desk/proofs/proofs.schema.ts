import type { AccountId, ProofId, VenueId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  integer,
  nullable,
  oneOf,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { PROOF_FORMAT } from './trees.ts'

const count = (description: string) => integer(0, Number.MAX_SAFE_INTEGER, description)
const hash = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64, description })
const whole = (description: string) =>
  Type.String({ pattern: '^(0|[1-9][0-9]*)$', maxLength: 60, description })

const HeldRecord = closed(
  {
    venue_id: id<VenueId>(),
    ledger: decimalText('By the books, at the sequence of the proof'),
    venue: nullable(decimalText('As the venue last said, when it was compared with the books')),
    compared_at: nullable(time()),
  },
  { title: 'ProofHolding' },
)

const TreeRecord = closed(
  {
    asset: asset(),
    decimals: integer(0, 18, 'Of the amounts that are hashed: 2 where they are cents'),
    root: hash('What is published; docs/proof-of-segregation.md says what it is made of'),
    leaves: count('How many accounts of customers have some'),
    total: decimalText('What they have together'),
    debtors: count('How many accounts of customers are below 0'),
    debts: decimalText('What they owe together. It is not taken off the total'),
    held: Type.Array(HeldRecord),
    in_transit: decimalText('On the way between our own accounts, by the books'),
    unassigned: decimalText('Deposits without an owner: held, and in no total yet'),
    difference: decimalText('What is held and in transit, by the books, less the total'),
    reported: nullable(decimalText('What the venues last said together; null while one has not')),
    reported_difference: nullable(decimalText('As `difference`, by what the venues last said')),
  },
  { title: 'ProofTree' },
)

export const ProofRecord = closed(
  {
    id: id<ProofId>(),
    sequence: count('The last booking that is counted'),
    batch_no: count('Of that booking'),
    books_hash: hash('Where the chain of bookings ended then, as signed heads name it'),
    trees: Type.Array(TreeRecord, { description: 'One an asset that a customer has or owes' }),
    system_created_at: time('When the balances were read'),
    system_created_by: nullable(id()),
  },
  { title: 'Proof' },
)
export type Proof = Static<typeof ProofRecord>

const BalanceProofRecord = closed(
  {
    format: oneOf([PROOF_FORMAT]),
    proof_id: id<ProofId>(),
    sequence: count('The last booking that is counted'),
    taken_at: time('When the balances were read'),
    books_hash: hash('Where the chain of bookings ended then'),
    asset: asset(),
    decimals: integer(0, 18, 'Of the amounts: 2 where they are cents'),
    leaves: count('Of the whole tree'),
    total: whole('Of the whole tree'),
    account_id: id<AccountId>(),
    amount: whole('What the account had'),
    position: count('Which leaf, from 0'),
    salt: hash('Hashed with the id of the account'),
    nonce: hash('Random, of this leaf alone'),
    siblings: Type.Array(closed({ sum: whole('Of all leaves below'), hash: hash('Of the node') }), {
      description: 'From that of the leaf up to the one below the top',
    }),
    root: hash('What they lead to: compare it with the one that was published'),
  },
  { title: 'BalanceProof' },
)

/** What a customer gets, as a file. */
export const AccountProof = closed(
  { balances: Type.Array(BalanceProofRecord, { description: 'One an asset' }) },
  { title: 'AccountProof' },
)
export type AccountProof = Static<typeof AccountProof>
