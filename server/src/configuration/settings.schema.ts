/** Settings as the API shows and takes them. */
import { HANDS, PERMISSIONS, SettingChange, SHOWN_AS } from '../access/index.ts'
import type { Permission } from '../access/index.ts'
import type { VenueId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import {
  closed,
  currentVersion,
  flag,
  id,
  nullable,
  oneOf,
  optional,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

const MAXIMUM_KEY = 120
const value = (description: string) => Type.Unsafe<Json>({ description })
const key = text(MAXIMUM_KEY, 'margins, compliance, … or calendar. and the key of a bank')

export const SettingParams = closed({ key })

const Drift = closed(
  {
    file: value('What the configuration file said when it was applied last'),
    record: value('What counts: the value of the setting'),
    since: time('Since when they differ; Unix milliseconds, UTC'),
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
    version: Type.Integer({ minimum: 1, description: 'Grows with each change' }),
    changed_at: nullable(time()),
    changed_by: nullable(text(100, 'A user, an API key, or a part of the service')),
    changed_by_name: nullable(text(500, 'Of the user or of the API key')),
    hand: nullable(oneOf(HANDS, 'A person, a program, or the configuration file')),
    permission: oneOf(Object.keys(PERMISSIONS) as [Permission], 'Who may change it'),
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
    version: optional(currentVersion()),
    keep_against_file: optional(
      flag(
        'The value stays although the configuration file says another. They are no drift any ' +
          'more, until the file says something else',
      ),
    ),
  },
  { title: 'SettingValue' },
)
export type PutSettingBody = Static<typeof PutSetting>

export const NamedSettingChange = closed(
  {
    ...SettingChange.properties,
    changed_by_name: nullable(text(500, 'Of the user or of the API key')),
  },
  { title: 'NamedSettingChange' },
)
