import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { NamePicker } from '../../action/inputs.tsx'
import { useNames } from '../../api/names.ts'
import { Trans, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import type { TotalsPlan } from '../../list/totals.tsx'
import { withDecimals } from '../../list/csv-text.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { localTime } from '../../parts/local-time.ts'
import { CamtButton, PdfButton } from '../../parts/save-button.tsx'
import { Empty } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { Name, ValueDate, valueDateText } from '../../parts/values.tsx'

type Line = RowOf<'/bookings/accounts/{account_id}/statement'>

const DATES: readonly Column<Line>[] = [
  { key: 'booked_at', title: t('Booked'), kind: 'time' },
  {
    key: 'value_date',
    title: t('Value date'),
    kind: 'time',
    text: (line) => valueDateText(line.value_date),
    render: (line) => <ValueDate at={line.value_date} />,
  },
]

/** In a file the asset stands in a column of its own. */
const textOf =
  (name: 'debit' | 'credit' | 'balance') =>
  (line: Line): string =>
    withDecimals(line[name] ?? '', line[name] === null ? null : line.asset)

const COLUMNS: readonly Column<Line>[] = [
  ...DATES,
  { key: 'what', title: t('Entry'), value: entryOf, width: 125 },
  { key: 'description', title: t('Description'), width: 240 },
  { key: 'asset', title: t('Asset'), width: 70 },
  {
    key: 'debit',
    title: t('Debit'),
    kind: 'amount',
    text: textOf('debit'),
    width: 125,
    ...ASSET_BESIDE,
  },
  {
    key: 'credit',
    title: t('Credit'),
    kind: 'amount',
    text: textOf('credit'),
    width: 125,
    ...ASSET_BESIDE,
  },
  {
    key: 'balance',
    title: t('Balance'),
    kind: 'amount',
    text: textOf('balance'),
    width: 135,
    ...ASSET_BESIDE,
  },
  { key: 'sequence', title: t('No.'), kind: 'number' },
  { key: 'reference_id', title: t('Cause'), kind: 'id', extra: true },
]

/** One account, per asset: opening balance, every booking, closing balance. */
export function Page(): ReactNode {
  const [params, setParams] = useSearchParams()
  const account_id = params.get('account_id') ?? ''
  const choose = (id: string): void => {
    setParams((old) => {
      const next = new URLSearchParams(old)
      next.set('account_id', id)
      return next
    })
  }
  const names = useNames('account')
  const fileName = fileNameOf(names.get(account_id) ?? account_id, params)
  const picker = <Picker account_id={account_id} choose={choose} />
  if (account_id === '') {
    return (
      <section className="page" aria-label={t('Statements')}>
        <header className="page-head">
          <h1>{t('Statements')}</h1>
        </header>
        {picker}
        <Empty title={t('No account chosen')}>{t('Choose an account to see its statement.')}</Empty>
      </section>
    )
  }
  return (
    <WorkList
      key={account_id}
      title={t('Statements')}
      fileName={fileName}
      path="/bookings/accounts/{account_id}/statement"
      params={{ account_id }}
      live={['booking']}
      above={picker}
      keyOf={(line) => `${line.line} ${line.asset} ${line.sequence ?? ''}`}
      record={(line) => (line.booking_id === null ? '' : `/books/bookings/${line.booking_id}`)}
      columns={COLUMNS}
      filters={[
        { name: 'from', label: t('Since'), kind: 'time' },
        { name: 'to', label: t('Until'), kind: 'time' },
        { name: 'assets', label: t('Assets, e.g. EUR,BTC'), kind: 'text' },
      ]}
      totals={TOTALS}
      files={(query) => (
        <>
          <PdfButton
            path="/bookings/accounts/{account_id}/statement"
            request={{ params: { account_id }, query }}
            name={fileName}
          />
          <CamtButton
            path="/bookings/accounts/{account_id}/statement"
            request={{ params: { account_id }, query }}
            name={fileName}
          />
        </>
      )}
      empty={{
        title: t('No bookings on this account'),
        text: t('Assigned deposits, trades and manual bookings appear here.'),
      }}
    />
  )
}

/** With the account as it is told from others of its name, and the period, by its last day. */
function fileNameOf(account: string, params: URLSearchParams): string {
  const [from, to] = [params.get('from'), params.get('to')].map(timeOf)
  return [
    t('Statement'),
    account,
    ...(from === undefined ? [] : [localTime(from).slice(0, 10)]),
    t('until {{day}}', { day: localTime(to === undefined ? Date.now() : to - 1).slice(0, 10) }),
  ].join(' ')
}

function timeOf(text: string | null): number | undefined {
  const at = text === null || text === '' ? Number.NaN : Number(text)
  return Number.isNaN(at) ? undefined : at
}

/** On paper the chosen account stands there by its name. */
function Picker({
  account_id,
  choose,
}: {
  account_id: string
  choose(id: string): void
}): ReactNode {
  return (
    <>
      <p className="print-only">
        <Trans
          i18nKey="Account: <name/>"
          components={{ name: <Name of="account" id={account_id} /> }}
        />
      </p>
      <div className="filters">
        <label className="time-filter">
          <Trans
            i18nKey="Account <namepicker/>"
            components={{
              namepicker: (
                <NamePicker
                  of="account"
                  aria-label={t('Account')}
                  {...(account_id === '' ? {} : { value: account_id })}
                  onChange={choose}
                />
              ),
            }}
          />
        </label>
      </div>
    </>
  )
}

/** Opening and closing balances are no movements. */
const TOTALS: TotalsPlan<Line> = {
  sums: [
    { label: t('Debit'), amount: (line) => line.debit, asset: (line) => line.asset },
    { label: t('Credit'), amount: (line) => line.credit, asset: (line) => line.asset },
  ],
}

/** As the paper says it to a customer, where our own word is another one. */
const WORDS: Readonly<Record<string, string>> = {
  DEPOSIT_ASSIGNMENT: t('Deposit'),
  WITHDRAWAL_ASSIGNMENT: t('Withdrawal'),
  TRANSFER: t('Own transfer'),
  BOOK_TRANSFER: t('Transfer'),
  EXECUTION: t('Trade'),
  RECTIFICATION: t('Correction'),
  REVERSAL: t('Correction'),
}

function entryOf({ line, type }: Line): string {
  if (line === 'BOOKING') return WORDS[type ?? ''] ?? inWords(type ?? line)
  return line === 'OPENING' ? t('Opening balance') : t('Closing balance')
}
