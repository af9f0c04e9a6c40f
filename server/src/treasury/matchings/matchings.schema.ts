import type { MatchingId, WalletId, WorkspaceId } from '../../core/ids.ts'
import {
  asset,
  closed,
  flag,
  id,
  integer,
  nullable,
  optional,
  optionalBlank,
  READ_ONLY_FIELDS,
  record,
  refusedForm,
  requiredText,
  text,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import type { Moves } from '../../core/moves.ts'

/**
 * In the order in which they are tried; the receiving customer wallet stands between the second and
 * the third.
 */
const MATCHING_TYPES = [
  'DESTINATION_WITH_REFERENCE',
  'DESTINATION_WITHOUT_REFERENCE',
  'SOURCE_WITH_REFERENCE',
  'SOURCE_WITHOUT_REFERENCE',
] as const
export type MatchingType = (typeof MATCHING_TYPES)[number]

/** Which address a type looks at, and whether it needs the reference. */
export const MATCHING_RULES: Readonly<
  Record<MatchingType, { address: 'destination_address' | 'source_address'; reference: boolean }>
> = {
  DESTINATION_WITH_REFERENCE: { address: 'destination_address', reference: true },
  DESTINATION_WITHOUT_REFERENCE: { address: 'destination_address', reference: false },
  SOURCE_WITH_REFERENCE: { address: 'source_address', reference: true },
  SOURCE_WITHOUT_REFERENCE: { address: 'source_address', reference: false },
}

const MATCHING_STATES = ['ACTIVE', 'DELETED'] as const

export const MATCHING_MOVES: Moves<(typeof MATCHING_STATES)[number]> = {
  ACTIVE: ['DELETED'],
  DELETED: [],
}

const MAXIMUM_ADDRESS = 200
const MAXIMUM_VERSION = 2_147_483_647

/** What is matched, without whose it is. */
const configuration = {
  type: oneOf(MATCHING_TYPES),
  details: closed({
    asset: asset(),
    is_withdrawal_matching: flag('true: applies to withdrawals; false: to deposits'),
    destination_address: optionalBlank(
      requiredText(MAXIMUM_ADDRESS, 'Required and used for DESTINATION types only'),
    ),
    source_address: optionalBlank(
      requiredText(MAXIMUM_ADDRESS, 'Required and used for SOURCE types only'),
    ),
    reference: optionalBlank(
      requiredText(
        MAXIMUM_ADDRESS,
        'Required and used for types WITH_REFERENCE only: equals the tag, or whole words of ' +
          'the reference text',
      ),
    ),
  }),
}

/** What `checkMatching` refuses. */
const REFUSED = MATCHING_TYPES.flatMap((type) => {
  const { address, reference } = MATCHING_RULES[type]
  const needed = reference ? [address, 'reference'] : [address]
  return needed.map((field) =>
    refusedForm({ where: { type: [type] }, lacking: [`details.${field}`] }),
  )
})

const request = {
  resource_id: id("A customer's account, or one of type INCOME, EXPENSE or HOUSE"),
  ...configuration,
  workspace: optionalBlank(id<WorkspaceId>("The caller's own")),
}

/** Given with an edit of a wallet: matched to the account of that wallet. */
export const MatchingConfigurationRequest = closed(configuration, {
  title: 'MatchingConfiguration',
  'x-refused': REFUSED,
})
export type MatchingConfiguration = Static<typeof MatchingConfigurationRequest>

const shown = {
  type: oneOf(MATCHING_TYPES),
  details: closed({
    asset: asset(),
    is_withdrawal_matching: flag(),
    destination_address: nullable(text()),
    source_address: nullable(text()),
    reference: nullable(text()),
  }),
}
export const MatchingConfigurationShape = closed(shown)

export const MatchingRecord = record('Matching', {
  id: id<MatchingId>(),
  resource_id: id(),
  ...shown,
  wallet_id: nullable(id<WalletId>('The wallet through which it was made')),
  state: oneOf(MATCHING_STATES),
})
export type Matching = Static<typeof MatchingRecord>

export const CreateMatching = closed(request, { title: 'CreateMatching', 'x-refused': REFUSED })
export type CreateMatchingBody = Static<typeof CreateMatching>

export const ChangeMatching = closed(
  { id: id<MatchingId>(), ...request, version: optional(integer(1, MAXIMUM_VERSION)) },
  {
    title: 'ChangeMatching',
    'x-refused': REFUSED,
    'x-read-only': [
      ...READ_ONLY_FIELDS.filter((field) => field !== 'workspace'),
      'state',
      'wallet_id',
    ],
  },
)
export type ChangeMatchingBody = Static<typeof ChangeMatching>
