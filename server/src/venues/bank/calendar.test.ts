/** On which day a payment is executed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { order, withFiles } from './bank-files.testing.ts'
import { calendarOf, executionDate } from './calendar.ts'

const dateBy = (values: Record<string, string>, at: string, currency = 'EUR') =>
  executionDate(calendarOf(values, currency), Date.parse(at))

test('TARGET2 is closed at weekends and on six days of the year', () => {
  for (const [day, open] of [
    ['2026-01-01', '2026-01-02'],
    ['2026-04-03', '2026-04-07'],
    ['2026-04-06', '2026-04-07'],
    ['2026-05-01', '2026-05-04'],
    ['2026-12-25', '2026-12-28'],
    ['2027-03-26', '2027-03-30'],
    ['2025-04-18', '2025-04-22'],
    ['2038-04-23', '2038-04-27'],
    ['2026-05-14', '2026-05-14'],
    ['2026-11-21', '2026-11-23'],
    ['2026-11-23', '2026-11-23'],
  ])
    assert.equal(dateBy({}, `${day}T10:00:00Z`), open, day)
})

test('from the cut-off on, in the zone of the bank, a payment waits for the next open day', () => {
  const berlin = { cut_off: '15:30', time_zone: 'Europe/Berlin' }
  assert.equal(dateBy(berlin, '2026-11-23T14:29:59Z'), '2026-11-23')
  assert.equal(dateBy(berlin, '2026-11-23T14:30:00Z'), '2026-11-24')
  assert.equal(dateBy(berlin, '2026-07-20T13:30:00Z'), '2026-07-21', 'summer time')
  assert.equal(dateBy(berlin, '2026-11-20T16:00:00Z'), '2026-11-23', 'Friday evening')
  assert.equal(dateBy(berlin, '2026-11-21T16:00:00Z'), '2026-11-23', 'on a closed day')
  assert.equal(dateBy({}, '2026-11-22T23:30:00Z'), '2026-11-23', 'Monday there')
  const newYork = { cut_off: '17:00', time_zone: 'America/New_York' }
  assert.equal(dateBy(newYork, '2026-11-24T03:00:00Z', 'USD'), '2026-11-24', 'Monday there')
})

test('a calendar of its own: days of the week, single days, days of every year', () => {
  const gulf = { calendar: 'LISTED', weekend_days: 'FRI,SAT', holidays: '12-25, 2026-11-22' }
  assert.equal(dateBy(gulf, '2026-11-20T10:00:00Z'), '2026-11-23')
  assert.equal(dateBy(gulf, '2027-12-25T10:00:00Z'), '2027-12-26')
  assert.equal(dateBy({ ...gulf, weekend_days: 'NONE' }, '2026-11-21T10:00:00Z'), '2026-11-21')
  assert.equal(dateBy({}, '2026-05-01T10:00:00Z', 'CHF'), '2026-05-01', 'not TARGET2')
})

test('without a zone the day is that of the main place of the currency', () => {
  const [yen, franc, dollar, other] = ['JPY', 'CHF', 'USD', 'ISK'].map((currency) =>
    dateBy({}, '2026-11-24T23:30:00Z', currency),
  )
  assert.deepEqual(
    { yen, franc, dollar, other },
    { yen: '2026-11-25', franc: '2026-11-25', dollar: '2026-11-24', other: '2026-11-24' },
  )
  assert.equal(dateBy({}, '2026-11-25T03:30:00Z', 'USD'), '2026-11-24')
  assert.equal(dateBy({ calendar: 'LISTED' }, '2026-11-24T23:30:00Z'), '2026-11-25')
  assert.equal(dateBy({ time_zone: 'UTC' }, '2026-11-24T23:30:00Z', 'JPY'), '2026-11-24')
})

/** So many days one after the other, from that one on. */
const closedDays = (from: string, count: number, of: (date: string) => string) =>
  Array.from({ length: count }, (_, index) =>
    of(new Date(Date.parse(from) + index * 86_400_000).toISOString().slice(0, 10)),
  ).join()

test('a bank that is closed for too long is refused when its calendar is read', () => {
  const dated = (date: string) => date
  const everyYear = (date: string) => date.slice(5)
  for (const [of, from] of [
    [dated, '2026-12-07'],
    [everyYear, '2028-12-05'],
  ] as const)
    assert.throws(
      () => calendarOf({ weekend_days: 'NONE', holidays: closedDays(from, 61, of) }, 'CHF'),
      (error) => error instanceof RangeError && /holidays .* more than 60 days/.test(error.message),
    )
  const holidays = closedDays('2026-12-07', 60, dated)
  assert.equal(
    dateBy({ weekend_days: 'NONE', holidays }, '2026-12-07T12:00:00Z', 'CHF'),
    '2027-02-05',
  )
})

test('a calendar that cannot be right is refused by its name', () => {
  for (const [wrong, name] of [
    [{ calendar: 'TARGET3' }, /calendar/],
    [{ weekend_days: 'SAT;SUN' }, /weekend_days/],
    [{ weekend_days: 'MON,TUE,WED,THU,FRI,SAT,SUN' }, /weekend_days/],
    [{ holidays: '2026-02-30' }, /holidays/],
    [{ holidays: '13-01' }, /holidays/],
    [{ holidays: '1 May' }, /holidays/],
    [{ cut_off: '24:00', time_zone: 'UTC' }, /cut_off/],
    [{ cut_off: '15:30' }, /time_zone/],
    [{ time_zone: 'Europe/Nowhere' }, /time_zone/],
  ] as const)
    assert.throws(
      () => calendarOf(wrong, 'EUR'),
      (error) => error instanceof RangeError && name.test(error.message),
      JSON.stringify(wrong),
    )
})

const ZONES = ['America/New_York', 'Pacific/Kiritimati', 'UTC']

test('the payment file asks for the day that the order names, in either message', async (t) => {
  const zone = process.env['TZ']
  t.after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  for (const here of ZONES) {
    process.env['TZ'] = here
    await asksForTheDay(here)
  }
})

const asksForTheDay = (here: string) =>
  withFiles(async ({ outbox }, bank) => {
    const { transfers } = bank
    assert.ok(transfers)
    assert.equal(
      transfers.executionDate?.({ asset: 'EUR', protocol: 'SEPA' }, Date.parse('2026-11-21')),
      '2026-11-23',
    )
    const to = { name: 'A', reference: 'r', bic: 'CHASUS33XXX' }
    for (const [external_id, protocol, written] of [
      ['d-1', 'SEPA', '<ReqdExctnDt><Dt>2026-12-28</Dt></ReqdExctnDt>'],
      ['d-2', 'FOREIGN', '<ReqdExctnDt>2026-12-28</ReqdExctnDt>'],
    ] as const) {
      const sent = await transfers.send(
        order({
          external_id,
          protocol,
          transfer: { from: {}, to: protocol === 'SEPA' ? { name: 'A', reference: 'r' } : to },
          execution_date: '2026-12-28',
        }),
      )
      assert.equal(sent.outcome, 'accepted', here)
      const xml = readFileSync(join(outbox, `${external_id}.xml`), 'utf8')
      assert.ok(xml.includes(written), here)
    }
  })
