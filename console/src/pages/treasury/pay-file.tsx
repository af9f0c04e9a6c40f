/**
 * Many payments from a CSV file. Each line is checked by the service and shown with what is wrong
 * with it, before anything is ordered. A line whose client_ref was ordered before is not paid
 * again.
 */
import { Alert, Button, Form, Modal, Upload } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { openDialog } from '../../action/dialogs.tsx'
import { useAll } from '../../api/all.ts'
import { once } from '../../api/once.ts'
import { refreshAll, useGet, useMay } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Rows } from '../../list/grid.tsx'
import { saveCsv } from '../../parts/files.ts'
import { errorText } from '../../parts/states.tsx'
import { Amount } from '../../parts/values.tsx'
import { beyondTheRest, columnsOf, readLines } from './pay-lines.ts'
import type { PayFrom, PayLine } from './pay-lines.ts'
import { FromInputs } from './pay.tsx'
import type { Wallet } from './wallet-form.tsx'
import { REPORTED } from './route-form.tsx'

const PERMISSION = 'treasury.withdrawals.create'
const AT_ONCE = 4

/** A line and what became of it. */
type Row = PayLine & { status: 'wrong' | 'checking' | 'right' | 'ordered'; words: string }

export function PayFileButton(): ReactNode {
  const may = useMay(PERMISSION)
  return (
    <Button
      size="small"
      disabled={!may}
      title={may ? undefined : `Your roles do not have the permission ${PERMISSION}`}
      onClick={() => {
        openDialog((close) => <PayFile close={close} />)
      }}
    >
      Pay from a file
    </Button>
  )
}

function PayFile({ close }: { close(): void }): ReactNode {
  const [form] = Form.useForm()
  const [rows, setRows] = useState<readonly Row[]>([])
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const wallets = useAll('/treasury/wallets') ?? []
  const from = usePayFrom(form, wallets)
  const put = (row: Row): void => {
    setRows((known) => known.map((other) => (other.line === row.line ? row : other)))
  }
  const work = (run: () => Promise<void>): void => {
    setBusy(true)
    run()
      .catch((thrown: unknown) => {
        setProblem(errorText(thrown).title)
      })
      .finally(() => {
        setBusy(false)
      })
  }
  const read = async (file: Blob): Promise<void> => {
    if (from === undefined) return
    setProblem(undefined)
    try {
      const lines = readLines(await file.text(), from).map(firstRow)
      setRows(lines)
      work(async () => {
        const results: Row[] = []
        await inTurns(lines, async (row) => {
          const result = await checked(row)
          results.push(result)
          put(result)
        })
        for (const row of await tooMuch(results, from)) put(row)
      })
    } catch (thrown) {
      setRows([])
      setProblem(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  const right = rows.filter(({ status }) => status === 'right')
  return (
    <Modal
      open
      width={1100}
      title="Pay from a file"
      onCancel={close}
      okText={`Pay ${right.length} of ${rows.length}`}
      okButtonProps={{ disabled: busy || right.length === 0, loading: busy }}
      cancelText="Close"
      onOk={() => {
        work(() =>
          inTurns(right, async (row) => {
            put(await ordered(row))
          }),
        )
      }}
    >
      <Form form={form} layout="vertical" requiredMark="optional">
        <FromInputs wallets={wallets} />
        <FileInput
          disabled={from === undefined || busy}
          columns={columnsOf(from?.fields ?? [])}
          read={(file) => {
            read(file).catch(() => undefined)
          }}
        />
      </Form>
      {problem !== undefined && <Alert type="error" showIcon role="alert" title={problem} />}
      <Lines rows={rows} asset={from?.asset ?? ''} />
    </Modal>
  )
}

function FileInput({
  disabled,
  columns,
  read,
}: {
  disabled: boolean
  columns: readonly string[]
  read(file: Blob): void
}): ReactNode {
  return (
    <>
      <Upload
        accept=".csv,text/csv"
        showUploadList={false}
        disabled={disabled}
        beforeUpload={(file) => {
          read(file)
          return false
        }}
      >
        <Button disabled={disabled}>Choose a CSV file</Button>
      </Upload>
      <Button
        type="link"
        disabled={disabled}
        onClick={() => {
          saveCsv('payments', [columns.join(',')])
        }}
      >
        Download an empty file
      </Button>
      <p className="explain">
        Columns: {columns.join(', ')}. Each line needs client_ref (your own name for the payment,
        used once), payee, address (IBAN or blockchain address) and amount, written like 1250.50.
        account is who pays: the customer’s reference, or the name where only one has it. send_at is
        a day or a time, like 2027-01-31 or 2027-01-31 09:00; left empty, the payment goes at once.
        Nothing is ordered before you pay.
      </p>
    </>
  )
}

type From = PayFrom & {
  asset: string
  /** An account that may not go below zero. */
  isBounded(account_id: string): boolean
}

/** Undefined until it is known from where, and what the venue asks for. */
function usePayFrom(
  form: ReturnType<typeof Form.useForm>[0],
  wallets: readonly Wallet[],
): From | undefined {
  const from_wallet_id = Form.useWatch('from_wallet_id', form) as string | undefined
  const protocol = Form.useWatch('protocol', form) as string | undefined
  const wallet = wallets.find(({ id }) => id === from_wallet_id)
  const accounts = useAll('/accounts')
  const customers = useAll('/customers')
  const { data: fields } = useGet(
    '/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}',
    { params: { from_wallet_id: from_wallet_id ?? '', protocol: protocol ?? '' } },
    { enabled: wallet !== undefined && protocol !== undefined },
  )
  if (wallet === undefined || protocol === undefined || fields === undefined) return undefined
  const known = [
    ...(accounts ?? [])
      .filter(({ customer_id }) => customer_id !== null)
      .map(({ id, label }) => ({ id, names: [id, label] })),
    ...(customers ?? []).map(({ account_id, label, foreign_id, id }) => ({
      id: account_id,
      names: [label, foreign_id ?? '', id],
    })),
  ]
  return {
    from_wallet_id: wallet.id,
    protocol,
    asset: wallet.asset,
    isBounded: (id) =>
      customers?.find(({ account_id }) => account_id === id)?.ignore_balance_check !== true,
    fields: fields.to.map(({ name }) => name).filter((name) => !REPORTED.has(name)),
    accountOf(text) {
      const ids = new Set(known.filter(({ names }) => names.includes(text)).map(({ id }) => id))
      return ids.size > 1 ? 'many' : [...ids][0]
    },
  }
}
const firstRow = (line: PayLine): Row =>
  line.fault === undefined
    ? { ...line, status: 'checking', words: 'Being checked' }
    : { ...line, status: 'wrong', words: line.fault }

const PAYEES = { KNOWN: 'Known payee', NEW_ROUTE: 'Known payee, new route', NEW: 'New payee' }

/** By the service, without a trace. */
async function checked(row: Row): Promise<Row> {
  if (row.body === undefined) return row
  try {
    const { client_ref = '' } = row.body
    const before = await client().get('/treasury/payments', { query: { client_ref } })
    if (before.some(({ state }) => state !== 'CANCELED'))
      return { ...row, status: 'wrong', words: `${client_ref} was ordered before` }
    const preview = await client().post('/treasury/payments/preview', { body: row.body })
    const waits = preview.waits_for_allowlist ? ', waits for the allow-list' : ''
    return { ...row, status: 'right', words: `${PAYEES[preview.payee]}${waits}` }
  } catch (thrown) {
    return { ...row, status: 'wrong', words: errorText(thrown).title }
  }
}

/** Those among the right lines for which the lines above them leave too little. */
async function tooMuch(rows: readonly Row[], { asset, isBounded }: From): Promise<Row[]> {
  const right = rows.filter(({ status }) => status === 'right').toSorted((a, b) => a.line - b.line)
  const accounts = new Set(right.flatMap(({ body }) => body?.account_id ?? []).filter(isBounded))
  const left = [...accounts].map(async (account_id) => {
    const balances = await client().get('/bookings/accounts/{account_id}/balance', {
      params: { account_id },
    })
    return [account_id, balances[asset]?.withdrawing ?? '0'] as const
  })
  return beyondTheRest(right, new Map(await Promise.all(left))).map((row) => ({
    ...row,
    status: 'wrong',
    words: 'With the lines above it, this is more than the account has',
  }))
}

async function ordered(row: Row): Promise<Row> {
  const { body, line } = row
  if (body === undefined) return row
  try {
    await once(JSON.stringify(['payment of a file', line, body]), (idempotency_key) =>
      client().post('/treasury/payments', { body, idempotency_key } as { body: typeof body }),
    )
    refreshAll().catch(() => undefined)
    return { ...row, status: 'ordered', words: 'Ordered' }
  } catch (thrown) {
    return { ...row, status: 'wrong', words: errorText(thrown, true).title }
  }
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function Lines({ rows, asset }: { rows: readonly Row[]; asset: string }): ReactNode {
  return (
    <Rows
      label="Payments of the file"
      rows={rows}
      keyOf={(row) => String(row.line)}
      columns={[
        { key: 'line', title: 'Line', kind: 'number', width: 60 },
        {
          key: 'amount',
          title: 'Amount',
          width: 150,
          render: ({ body, cells }) =>
            body === undefined ? cells['amount'] : <Amount value={body.quantity} asset={asset} />,
        },
        { key: 'payee', title: 'Payee', value: ({ cells }) => cells['payee'], width: 170 },
        { key: 'address', title: 'Address', value: ({ cells }) => cells['address'], width: 230 },
        { key: 'account', title: 'Pays', value: ({ cells }) => cells['account'], width: 140 },
        { key: 'reference', title: 'Reference', value: ({ cells }) => cells['reference'] },
        { key: 'send_at', title: 'Send', value: ({ cells }) => cells['send_at'] || 'At once' },
        {
          key: 'words',
          title: 'Result',
          width: 260,
          render: ({ status, words }) => <span className={`line-${status}`}>{words}</span>,
        },
      ]}
    />
  )
}
