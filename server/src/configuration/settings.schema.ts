/** Settings as the API shows and takes them. */
import { SettingChange, SHOWN_AS } from '../access/index.ts'
import type { VenueId } from '../core/ids.ts'
import { closed, flag, id, nullable, oneOf, text, time } from '../http/index.ts'
import type { Static } from '../http/index.ts'
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

const key = text(MAXIMUM_KEY, 'margins, compliance, … or calendar. and the key of a bank')

export const SettingParams = closed({ key })

const Drift = driftOf(
  {
    file: 'What the configuration file said when it was applied last',
    record: 'What counts: the value of the setting',
  },
  {
    title: 'Drift',
    description: 'The configuration file says another value than the record, which counts',
  },
)

export const SettingRecord = closed(
  {
    id: id('Events name the setting by it'),
    key,
    title: text(),
    description: text(2_000),
    unit: nullable(text(200, 'What the value counts')),
    schema: value('The JSON Schema of the value'),
    shown_as: nullable(
      oneOf(SHOWN_AS, 'How people read the numbers in it: factors as percent, times as dates'),
    ),
    example: value('A value'),
    venue_id: nullable(id<VenueId>('Of a calendar')),
    default: value('What counts while nobody says otherwise; null where it depends on the bank'),
    value: value('What counts'),
    version: recordVersion(),
    changed_at: nullable(time()),
    changed_by: nullable(changedBy()),
    changed_by_name: changedByName(),
    hand: nullable(whoseHand()),
    permission: whoMay(),
    in_file: flag('The configuration file says something of it'),
    file: value('What the configuration file said when it was applied last; null without it'),
    drift: nullable(Drift),
  },
  { title: 'Setting' },
)
export type SettingRecord = Static<typeof SettingRecord>

export const PutSetting = closed(
  {
    value: value('The whole value: its form depends on the setting'),
    ...decided(
      'The value stays although the configuration file says another. They are no drift any ' +
        'more, until the file says something else',
    ),
  },
  { title: 'SettingValue' },
)
export type PutSettingBody = Static<typeof PutSetting>

export const NamedSettingChange = closed(
  {
    ...SettingChange.properties,
    changed_by_name: changedByName(),
  },
  { title: 'NamedSettingChange' },
)
