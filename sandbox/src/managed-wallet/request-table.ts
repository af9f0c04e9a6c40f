/** The custodian's requests as stored rows. Each change gives a request a new, higher sequence. */
import type { World } from '../world.ts'

export type WalletOrder = { customer_id: string; label: string; asset: string; network: string }
export type WithdrawalOrder = {
  wallet_id: string
  asset: string
  network: string
  amount: string
  address: string
}

export type Kind = 'CREATE_WALLET' | 'WITHDRAW'
type Status = 'RECEIVED' | 'IN_REVIEW' | 'PROCESSING' | 'CONFIRMING' | 'COMPLETED' | 'CANCELLED'
export type Request = {
  request_id: string
  reference: string
  kind: Kind
  asked: string
  status: Status
  error_code: string | null
  error_message: string | null
  wallet_id: string | null
  fee: string
  reserved: number
  transaction_hash: string | null
  confirmations: number
  sequence: number
  created_at: number
  updated_at: number
  next_at: number
}

export type RequestTable = {
  insert(request: Omit<Request, 'sequence'>): void
  save(request: Request, change: Partial<Request>): void
  byId(request_id: string): Request | undefined
  byReference(reference: string): Request | undefined
  /** Those whose next step is due. */
  due(now: number): Request[]
  /** Withdrawals in the order of their last changes, after this sequence. */
  withdrawals(after: number, limit: number): Request[]
}

const COLUMNS = `request_id, reference, kind, asked, status, error_code, error_message, wallet_id,
  fee, reserved, transaction_hash, confirmations, sequence, created_at, updated_at, next_at`
const IS_LIVE = "status in ('RECEIVED', 'PROCESSING', 'CONFIRMING')"

function createTable({ db }: World): void {
  db.exec(`
    create table if not exists managed_requests (
      request_id text primary key,
      reference text not null unique,
      kind text not null,
      asked text not null,
      status text not null,
      error_code text,
      error_message text,
      wallet_id text,
      fee text not null,
      reserved integer not null,
      transaction_hash text,
      confirmations integer not null,
      sequence integer not null unique,
      created_at integer not null,
      updated_at integer not null,
      next_at integer not null
    );
    create index if not exists managed_requests_live on managed_requests (next_at) where ${IS_LIVE};
  `)
}

export function openRequestTable(world: World): RequestTable {
  const { db } = world
  createTable(world)
  const insert = db.prepare(`
    insert into managed_requests (${COLUMNS})
    values (:request_id, :reference, :kind, :asked, :status, :error_code, :error_message,
      :wallet_id, :fee, :reserved, :transaction_hash, :confirmations, :sequence, :created_at,
      :updated_at, :next_at)`)
  const update = db.prepare(`
    update managed_requests
    set status = ?, error_code = ?, error_message = ?, wallet_id = ?, fee = ?, reserved = ?,
      transaction_hash = ?, confirmations = ?, sequence = ?, updated_at = ?, next_at = ?
    where request_id = ?`)
  const byId = db.prepare(`
    select ${COLUMNS}
    from managed_requests
    where request_id = ?`)
  const byReference = db.prepare(`
    select ${COLUMNS}
    from managed_requests
    where reference = ?`)
  const due = db.prepare(`
    select ${COLUMNS}
    from managed_requests
    where ${IS_LIVE}
      and next_at <= ?
    order by created_at, request_id`)
  const withdrawals = db.prepare(`
    select ${COLUMNS}
    from managed_requests
    where kind = 'WITHDRAW'
      and sequence > ?
    order by sequence
    limit ?`)
  const newest = db.prepare('select coalesce(max(sequence), 0) as sequence from managed_requests')
  const nextSequence = () => (newest.get() as { sequence: number }).sequence + 1
  return {
    insert: (request) => {
      insert.run({ ...request, sequence: nextSequence() })
    },
    save(request, change) {
      const next = { ...request, ...change }
      update.run(
        next.status,
        next.error_code,
        next.error_message,
        next.wallet_id,
        next.fee,
        next.reserved,
        next.transaction_hash,
        next.confirmations,
        nextSequence(),
        world.now(),
        next.next_at,
        next.request_id,
      )
    },
    byId: (request_id) => byId.get(request_id) as Request | undefined,
    byReference: (reference) => byReference.get(reference) as Request | undefined,
    due: (now) => due.all(now) as Request[],
    withdrawals: (after, limit) => withdrawals.all(after, limit) as Request[],
  }
}
