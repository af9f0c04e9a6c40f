/** Declarations as the API shows and takes them. */
import type { VenueId } from '../core/ids.ts'
import { closed, flag, id, nullable, oneOf, requiredText, text, time } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { VenueSecret } from '../venues/index.ts'
import { DECLARATION_KINDS, DeclarationChange } from './declarations.ts'
import {
  changedBy,
  changedByName,
  decided,
  driftOf,
  MAXIMUM_KEY,
  recordVersion,
  value,
  whoMay,
  whoseHand,
} from './two-hands.schema.ts'

const MAXIMUM_SECRET = 20_000
const key = text(
  MAXIMUM_KEY,
  'venue. and the key of a venue, asset. and its code, or price_route. and its key',
)

export const DeclarationParams = closed({ key })

const Drift = driftOf(
  {
    file: 'What the configuration file said when it was applied last; null: nothing',
    record: 'What counts',
  },
  { title: 'DeclarationDrift' },
)

export const DeclarationRecord = closed(
  {
    id: id('Events name the declaration by it'),
    key,
    kind: oneOf(DECLARATION_KINDS),
    name: text(MAXIMUM_KEY, 'The key or the code, as the configuration file has it'),
    declaration: value(
      'As an entry of the configuration file without its key or code ' +
        '(server/config/kontor.schema.json); null: it is no longer declared',
    ),
    venue_id: nullable(id<VenueId>('Of a venue')),
    folder: nullable(
      text(
        200,
        'Of a bank whose declaration names no folders: below the folder of the operator ' +
          '(KONTOR_BANK_FOLDERS), with its outbox and its inbox; else null',
      ),
    ),
    version: recordVersion(),
    changed_at: time(),
    changed_by: changedBy(),
    changed_by_name: changedByName(),
    hand: whoseHand(),
    permission: whoMay(),
    in_file: flag('The configuration file named it when it was applied last'),
    file: value('What the configuration file said of it then; null without it'),
    drift: nullable(Drift),
  },
  { title: 'Declaration' },
)
export type DeclarationRecord = Static<typeof DeclarationRecord>

export const PutDeclaration = closed(
  {
    declaration: value(
      'The whole entry, as the configuration file has it, without its key or code',
    ),
    ...decided(
      'The record stays although the configuration file says something else. They are no ' +
        'drift any more, until the file says yet another thing',
    ),
  },
  { title: 'DeclarationValue' },
)
export type PutDeclarationBody = Static<typeof PutDeclaration>

export const NamedDeclarationChange = closed(
  {
    ...DeclarationChange.properties,
    changed_by_name: changedByName(),
  },
  { title: 'NamedDeclarationChange' },
)

export const SecretParams = closed({
  venue_id: id<VenueId>(),
  name: text(MAXIMUM_KEY, 'One of the secrets that a venue of this kind takes'),
})

export const PutVenueSecret = closed(
  { value: requiredText(MAXIMUM_SECRET, 'The secret itself; no answer ever shows it') },
  { title: 'VenueSecretValue' },
)

export const NamedVenueSecret = closed(
  {
    ...VenueSecret.properties,
    set_by_name: nullable(text(500, 'Of the user or of the API key')),
  },
  { title: 'NamedVenueSecret' },
)
export type NamedVenueSecret = Static<typeof NamedVenueSecret>
