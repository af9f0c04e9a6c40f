/**
 * The calendars of banks as settings: on which days a bank is closed, and from when on payments
 * count for the next day. They stand among the options of the venue.
 */
import { refuse } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { closed, nullable, oneOf, requiredText, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { CALENDARS, calendarOf, DAYS, isDay, NO_DAY } from './bank/calendar.ts'
import { VENUES } from './rows.ts'
import type { AdapterConfig } from './secrets.ts'
import type { VenueRecord } from './venues.schema.ts'

const MAXIMUM_DAYS = 400
const MAXIMUM_ZONE = 60

export const CalendarShape = closed(
  {
    calendar: oneOf(
      CALENDARS,
      'TARGET2: closed on the holidays of the euro system too. LISTED: on the listed days alone',
    ),
    weekend_days: Type.Array(oneOf(DAYS), {
      uniqueItems: true,
      maxItems: DAYS.length - 1,
      description: 'The closed days of the week',
    }),
    holidays: Type.Array(
      Type.String({
        pattern: '^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$',
        'x-form': 'must be a day such as 2026-08-01, or 08-01 for every year',
      }),
      {
        uniqueItems: true,
        maxItems: MAXIMUM_DAYS,
        description: 'Further closed days: 2026-08-01, or 08-01 for every year',
      },
    ),
    cut_off: nullable(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        'x-form': 'must be a time such as 15:30',
        description: 'From then on payments count for the next open day; null: until the day ends',
      }),
    ),
    time_zone: requiredText(MAXIMUM_ZONE, 'Of the days and of the cut-off, e.g. Europe/Berlin'),
  },
  {
    title: 'Calendar',
    description: 'The days on which a bank executes payments. It says from when on payments wait',
  },
)
export type Calendar = Static<typeof CalendarShape>

export const CALENDAR_EXAMPLE: Calendar = {
  calendar: 'TARGET2',
  weekend_days: ['SAT', 'SUN'],
  holidays: ['2026-08-01', '12-24'],
  cut_off: '15:30',
  time_zone: 'Europe/Berlin',
}

const OPTIONS = ['calendar', 'weekend_days', 'holidays', 'cut_off', 'time_zone'] as const

type Declared = Partial<Pick<AdapterConfig, 'options' | 'secrets'>>

/**
 * The calendar that a bank's options say. Undefined where a part of it is given by reference, so
 * that nobody but the configuration file can change it.
 */
export function calendarIn({ options = {}, secrets = {} }: Declared): Calendar | undefined {
  const currency = options['currency']
  if (currency === undefined || OPTIONS.some((name) => secrets[name] !== undefined))
    return undefined
  try {
    const { weekend, target2, holidays, cut_off, time_zone } = calendarOf(options, currency)
    return {
      calendar: target2 ? 'TARGET2' : 'LISTED',
      weekend_days: DAYS.filter((_day, index) => weekend.has(index)),
      holidays: [...holidays].toSorted(),
      cut_off,
      time_zone,
    }
  } catch (error) {
    // The start of the service says what is wrong with it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The options of a bank, with this calendar in place of theirs. */
export function withCalendar(
  options: Readonly<Record<string, string>>,
  { calendar, weekend_days, holidays, cut_off, time_zone }: Calendar,
): Record<string, string> {
  const others = Object.entries(options).filter(
    ([name]) => !OPTIONS.some((option) => option === name),
  )
  return {
    ...Object.fromEntries(others),
    calendar,
    weekend_days: weekend_days.length === 0 ? NO_DAY : weekend_days.join(','),
    ...(holidays.length === 0 ? {} : { holidays: holidays.join(',') }),
    ...(cut_off === null ? {} : { cut_off }),
    time_zone,
  }
}

/** Options with the calendar that `other` options have, in place of theirs. */
export function withCalendarOf(
  options: Readonly<Record<string, string>> = {},
  other: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const isOfCalendar = ([name]: [string, string]): boolean =>
    OPTIONS.some((option) => option === name)
  return Object.fromEntries([
    ...Object.entries(options).filter((entry) => !isOfCalendar(entry)),
    ...Object.entries(other).filter(isOfCalendar),
  ])
}

/** In one form: days in their order. Throws 3001 for what no schema refuses. */
export function checkedCalendar(calendar: Calendar, path: string): Calendar {
  const wrong = calendar.holidays.findIndex((day) => !isDay(day))
  if (wrong >= 0)
    throw refuse(
      'FORMAT',
      `${path}.holidays[${wrong}]`,
      `${path}.holidays[${wrong}] ${calendar.holidays[wrong]} is no day of the calendar`,
    )
  const options = withCalendar({}, calendar)
  try {
    calendarOf(options, '')
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const name = OPTIONS.find((option) => error.message.includes(option)) ?? 'calendar'
    throw refuse('FORMAT', `${path}.${name}`, `${path}.${name}: ${error.message}`)
  }
  return {
    ...calendar,
    weekend_days: DAYS.filter((day) => calendar.weekend_days.includes(day)),
    holidays: calendar.holidays.toSorted(),
  }
}

type BankCalendarSetting = {
  venue_id: VenueId
  /** Of the venue in the configuration file. */
  key: string
  label: string
  state: VenueRecord['state']
  calendar: Calendar
}

type BankRow = Omit<BankCalendarSetting, 'calendar'> & { config: AdapterConfig }

/** The calendars of the banks of a workspace, as far as they can be changed. */
export async function readCalendars(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<BankCalendarSetting[]> {
  const rows = await reader.query<BankRow>(sql`
    select id as venue_id, key, label, state, config
    from venues
    where workspace = ${workspace}
      and kind = 'BANK'
    order by id`)
  return rows.flatMap(({ config, ...venue }) => {
    const calendar = calendarIn(config)
    return calendar === undefined ? [] : [{ ...venue, calendar }]
  })
}

/** Every process opens the venue anew with it when it is used next. */
export async function putCalendar(
  tx: Tx,
  { workspace, venue_id, ...stamp }: Stamp & { workspace: WorkspaceId; venue_id: VenueId },
  calendar: Calendar,
): Promise<void> {
  const [venue] = await tx.query<{ config: AdapterConfig }>(sql`
    select config
    from venues
    where workspace = ${workspace}
      and id = ${venue_id}
    for update`)
  if (venue === undefined) return
  const config = { ...venue.config, options: withCalendar(venue.config.options, calendar) }
  await tx.query(
    updateRow(VENUES, { where: { workspace, id: venue_id }, set: { config }, ...stamp }),
  )
}
