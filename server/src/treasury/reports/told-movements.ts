/** What a customer may read of the movements on their account. */
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'

export type ToldMovement = {
  id: string
  kind: 'deposit' | 'withdrawal'
  /** Of a deposit the payer, of a withdrawal the payee: name and account or address. */
  party: string | null
  place: string | null
  reference: string | null
  purpose: string | null
  /** A payment that came back, or a deposit that goes back to its sender. */
  returns: boolean
  /** The account had it by mistake: it is somebody else's, and nothing of it may be told. */
  mistaken: boolean
}

/** Of the deposits and withdrawals with these ids, as this account may read them. */
export const toldMovements = (
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  ids: readonly string[],
): Promise<ToldMovement[]> =>
  reader.query<ToldMovement>(sql`
    select m.id, 'deposit' as kind, coalesce(w.recipient_name, m.counterparty ->> 'name') as party,
      coalesce(w.destination_address, m.counterparty ->> 'iban', m.source_address) as place,
      case when w.id is null then coalesce(m.reference_text, m.tag) end as reference,
      null as purpose, w.id is not null as returns,
      ${mistaken('deposit_id', account_id)} as mistaken
    from deposits m
    left join withdrawals w on w.workspace = m.workspace
      and w.id = m.related_withdrawal_id
      and not m.own_transfer
    where m.workspace = ${workspace}
      and m.id = any(${ids}::uuid[])
    union all
    select m.id, 'withdrawal', m.recipient_name, m.destination_address,
      coalesce(m.reference_text, m.tag), case when m.stakes is null then m.purpose end,
      m.returns_deposit_id is not null, ${mistaken('withdrawal_id', account_id)}
    from withdrawals m
    where m.workspace = ${workspace}
      and m.id = any(${ids}::uuid[])`)

/** All that the account had of it was taken back by a rectification. */
const mistaken = (of: 'deposit_id' | 'withdrawal_id', account_id: AccountId): Query => sql`(
        select coalesce(bool_and(a.rectification_id is not null), false)
        from assignments a
        where a.workspace = m.workspace
          and a.${raw(of)} = m.id
          and a.account_id = ${account_id}
          and ${stateIn(ASSIGNMENT_MOVES, 'SUCCESSFUL', 'a.state')}
      )`
