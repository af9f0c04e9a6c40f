/**
 * Many payments from a CSV file. Each line is checked by the service and shown with what is wrong
 * with it, before anything is ordered. A line whose client_ref was ordered before is not paid
 * again.
 */
import { addAmounts } from '@kontor/client'
import { Alert, Button, Form, Modal, Upload } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { openDialog } from '../../action/dialogs.tsx'
import { useAll } from '../../api/all.ts'
import { useAssets } from '../../api/assets.tsx'
import { useMay } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { saveCsv } from '../../parts/files.ts'
import { errorText } from '../../parts/states.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { Lines, Summary } from './pay-file-lines.tsx'
import { columnsOf, readLines } from './pay-lines.ts'
import { checkAll, firstRow, inTurns, ordered } from './pay-work.ts'
import type { From, Row } from './pay-work.ts'
import { FromInputs } from './pay.tsx'
import { REPORTED, useTransferFields } from './transfer-inputs.tsx'
import type { Wallet } from './wallet-form.tsx'

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
function usePayLines() {
  const [rows, setRows] = useState<readonly Row[]>([])
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [paying, setPaying] = useState(false)
  /** What is found out about a file that was read before is of nobody's interest. */
  const reading = useRef(0)
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
  const read = async (file: Blob, from: From): Promise<void> => {
    setProblem(undefined)
    setRows([])
    reading.current += 1
    const mine = reading.current
    try {
      const lines = readLines(await file.text(), from).map(firstRow)
      if (mine !== reading.current) return
      setRows(lines)
      work(() =>
        checkAll(lines, from, (row) => {
          if (mine === reading.current) put(row)
        }),
      )
    } catch (thrown) {
      setRows([])
      setProblem(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  const right = rows.filter(({ status }) => status === 'right')
  const pay = (): void => {
    setPaying(true)
    work(() =>
      inTurns(right, async (row) => {
        put(await ordered(row))
      }).finally(() => {
        setPaying(false)
      }),
    )
  }
  return { rows, right, problem, busy, paying, read, pay }
}

function PayFile({ close }: { close(): void }): ReactNode {
  const [form] = Form.useForm()
  const [asked, setAsked] = useState(false)
  const wallets = useAll('/treasury/wallets') ?? []
  const from = usePayFrom(form, wallets)
  const { rows, right, problem, busy, paying, read, pay } = usePayLines()
  const [file, setFile] = useState<File>()
  // A file that was chosen first is read as soon as it is known from where; then for each other.
  const isReadable = from !== undefined && file !== undefined
  useEffect(() => {
    setAsked(false)
    if (isReadable) read(file, from).catch(() => undefined)
  }, [file, isReadable, from?.from_wallet_id, from?.protocol, from?.fields.join()])
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
      okButtonProps={{ disabled: busy || !isReadable || right.length === 0, loading: busy }}
      cancelText={t('Close')}
      onOk={() => {
        setAsked(!asked)
        if (asked) pay()
      }}
    >
      <Form form={form} layout="vertical" requiredMark="optional">
        <div inert={paying}>
          <FromInputs wallets={wallets} />
        </div>
        <FileInput
          busy={busy}
          columns={from === undefined ? undefined : columnsOf(from.fields)}
          chosen={file?.name}
          choose={setFile}
        />
      </Form>
      {problem !== undefined && <Alert type="error" showIcon role="alert" title={problem} />}
      {asked && from !== undefined && <ToConfirm rows={rows} right={right} from={from} />}
      {isReadable && <Summary rows={rows} />}
      <Lines rows={isReadable ? rows : []} asset={from?.asset ?? ''} />
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
  const doubts = right.filter(({ doubt }) => doubt !== undefined).length
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
        ...(doubts === 0
          ? []
          : [t('{{count}} lines name another payee than the one stored.', { count: doubts })]),
      ].join(' ')}
    />
  )
}

/** `columns` are known when it is known from where. */
function FileInput({
  busy,
  columns,
  chosen,
  choose,
}: {
  busy: boolean
  columns: readonly string[] | undefined
  chosen: string | undefined
  choose(file: File): void
}): ReactNode {
  return (
    <>
      <Upload
        accept=".csv,text/csv"
        showUploadList={false}
        disabled={busy}
        beforeUpload={(file) => {
          choose(file)
          return false
        }}
      >
        <Button disabled={busy}>{t('Choose a CSV file')}</Button>
      </Upload>{' '}
      {chosen}
      <Button
        type="link"
        disabled={columns === undefined}
        onClick={() => {
          saveCsv('payments', [(columns ?? []).join(',')])
        }}
      >
        {t('Download an empty file')}
      </Button>
      {columns === undefined && chosen !== undefined && (
        <p role="status">{t('Choose from where and how it is paid. The file is read then.')}</p>
      )}
      <p className="explain">
        {t(
          'Columns: {{columns}}. Each line needs client_ref (your own name for the ' +
            'payment, used once), payee, address (IBAN or blockchain address) and amount, ' +
            'written like 1250.50. account is who pays: the customer’s reference or id, or ' +
            'the name where only one has it. send_at is a day or a time, like 2027-01-31 or ' +
            '2027-01-31 09:00; left empty, the payment goes at once. Nothing is ordered ' +
            'before you pay.',
          { columns: (columns ?? columnsOf([])).join(', ') },
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
  const { data: fields } = useTransferFields(wallet?.id, protocol)
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
