/**
 * Many payments from a CSV file. Each line is checked by the service and shown with what is wrong
 * with it, before anything is ordered. A line whose client_ref was ordered before is not paid
 * again.
 */
import { addAmounts } from '@kontor/client'
import { Alert, Button, Form, Modal, Upload } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { openDialog } from '../../action/dialogs.tsx'
import { useAll } from '../../api/all.ts'
import { useAssets } from '../../api/assets.tsx'
import { useGet, useMay } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { saveCsv } from '../../parts/files.ts'
import { errorText } from '../../parts/states.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { columnsOf, readLines } from './pay-lines.ts'
import { checkAll, firstRow, inTurns, ordered } from './pay-work.ts'
import type { From, Row } from './pay-work.ts'
import { FromInputs } from './pay.tsx'
import type { Wallet } from './wallet-form.tsx'
import { REPORTED } from './route-form.tsx'

const PERMISSION = 'treasury.withdrawals.create'

export function PayFileButton(): ReactNode {
  const may = useMay(PERMISSION)
  return (
    <Button
      size="small"
      disabled={!may}
      title={
        may
          ? undefined
          : t('Your roles do not have the permission {{permission}}', { permission: PERMISSION })
      }
      onClick={() => {
        openDialog((close) => <PayFile close={close} />)
      }}
    >
      {t('Pay from a file')}
    </Button>
  )
}

/** The lines of the file that was read, what became of them, and what is done with them. */
function usePayLines(from: From | undefined) {
  const [rows, setRows] = useState<readonly Row[]>([])
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
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
      work(() => checkAll(lines, from, put))
    } catch (thrown) {
      setRows([])
      setProblem(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  const right = rows.filter(({ status }) => status === 'right')
  const pay = (): void => {
    work(() =>
      inTurns(right, async (row) => {
        put(await ordered(row))
      }),
    )
  }
  return { rows, right, problem, busy, read, pay }
}

function PayFile({ close }: { close(): void }): ReactNode {
  const [form] = Form.useForm()
  const [asked, setAsked] = useState(false)
  const wallets = useAll('/treasury/wallets') ?? []
  const from = usePayFrom(form, wallets)
  const { rows, right, problem, busy, read, pay } = usePayLines(from)
  return (
    <Modal
      open
      width={1100}
      title={t('Pay from a file')}
      onCancel={close}
      okText={
        asked
          ? t('Confirm: pay {{count}}', { count: right.length })
          : t('Pay {{right}} of {{all}}', { right: right.length, all: rows.length })
      }
      okButtonProps={{ disabled: busy || right.length === 0, loading: busy }}
      cancelText={t('Close')}
      onOk={() => {
        setAsked(!asked)
        if (asked) pay()
      }}
    >
      <Form form={form} layout="vertical" requiredMark="optional">
        <FromInputs wallets={wallets} />
        <FileInput
          disabled={from === undefined || busy}
          columns={columnsOf(from?.fields ?? [])}
          read={(file) => {
            setAsked(false)
            read(file).catch(() => undefined)
          }}
        />
      </Form>
      {problem !== undefined && <Alert type="error" showIcon role="alert" title={problem} />}
      {asked && from !== undefined && <ToConfirm rows={rows} right={right} from={from} />}
      <Lines rows={rows} asset={from?.asset ?? ''} />
    </Modal>
  )
}

function ToConfirm({
  rows,
  right,
  from,
}: {
  rows: readonly Row[]
  right: readonly Row[]
  from: From
}): ReactNode {
  const left = rows.length - right.length
  const sum = addAmounts(...right.flatMap(({ body }) => body?.quantity ?? []))
  const later = right.filter(({ body }) => body?.send_at !== undefined).length
  return (
    <Alert
      type="warning"
      showIcon
      role="status"
      title={
        <Trans
          i18nKey="To be confirmed: {{count}} payments, <amount/> in all, from <wallet/>."
          components={{
            amount: <Amount value={sum} asset={from.asset} />,
            wallet: <Name of="wallet" id={from.from_wallet_id} />,
          }}
          count={right.length}
        />
      }
      description={[
        t('{{now}} at once, {{later}} later.', { now: right.length - later, later }),
        ...(left === 0 ? [] : [t('{{count}} lines are not paid.', { count: left })]),
      ].join(' ')}
    />
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
        <Button disabled={disabled}>{t('Choose a CSV file')}</Button>
      </Upload>
      <Button
        type="link"
        disabled={disabled}
        onClick={() => {
          saveCsv('payments', [columns.join(',')])
        }}
      >
        {t('Download an empty file')}
      </Button>
      <p className="explain">
        {t(
          'Columns: {{columns}}. Each line needs client_ref (your own name for the ' +
            'payment, used once), payee, address (IBAN or blockchain address) and amount, ' +
            'written like 1250.50. account is who pays: the customer’s reference, or the ' +
            'name where only one has it. send_at is a day or a time, like 2027-01-31 or ' +
            '2027-01-31 09:00; left empty, the payment goes at once. Nothing is ordered ' +
            'before you pay.',
          { columns: columns.join(', ') },
        )}
      </p>
    </>
  )
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
  const asset = useAssets().get(wallet?.asset ?? '')
  if (wallet === undefined || protocol === undefined) return undefined
  if (fields === undefined || asset === undefined) return undefined
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
    scale: asset.scale,
    isBounded: (id) =>
      customers?.find(({ account_id }) => account_id === id)?.ignore_balance_check !== true,
    fields: fields.to.map(({ name }) => name).filter((name) => !REPORTED.has(name)),
    accountOf(text) {
      const ids = new Set(known.filter(({ names }) => names.includes(text)).map(({ id }) => id))
      return ids.size > 1 ? 'many' : [...ids][0]
    },
  }
}
function Lines({ rows, asset }: { rows: readonly Row[]; asset: string }): ReactNode {
  return (
    <Rows
      label={t('Payments of the file')}
      rows={rows}
      keyOf={(row) => String(row.line)}
      columns={[
        { key: 'line', title: t('Line'), kind: 'number', width: 60 },
        {
          key: 'amount',
          title: t('Amount'),
          width: 150,
          render: ({ body, cells }) =>
            body === undefined ? cells['amount'] : <Amount value={body.quantity} asset={asset} />,
        },
        { key: 'payee', title: t('Payee'), value: ({ cells }) => cells['payee'], width: 170 },
        { key: 'address', title: t('Address'), value: ({ cells }) => cells['address'], width: 230 },
        { key: 'account', title: t('Pays'), value: ({ cells }) => cells['account'], width: 140 },
        { key: 'reference', title: t('Reference'), value: ({ cells }) => cells['reference'] },
        {
          key: 'send_at',
          title: t('Send'),
          value: ({ cells }) => cells['send_at'] || t('At once'),
        },
        {
          key: 'words',
          title: t('Result'),
          width: 260,
          render: ({ status, words }) => <span className={`line-${status}`}>{words}</span>,
        },
      ]}
    />
  )
}
