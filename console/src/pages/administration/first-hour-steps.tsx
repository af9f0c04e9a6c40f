/** The steps of the first hour, in order: what each found, and the form that does it. */
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { Permission } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { sentenceOf } from '../../parts/refusal-words.ts'
import { Amount, Name, Time } from '../../parts/values.tsx'
import { create as createCustomer } from '../customers/customer-actions.tsx'
import { walletOf } from '../treasury/wallet-form.tsx'
import { declareBank } from './bank-form.tsx'
import { secretLabel } from './declaration-parts.ts'
import { addPlan } from './declaration-form.tsx'
import type { Bank, FirstHour } from './first-hour-state.ts'
import { SettingLink } from './setting-link.tsx'

export type Step = {
  key: string
  title: string
  /** Undefined while nobody knows. */
  done: boolean | undefined
  /** Without it one cannot see whether it is done. */
  read: Permission
  /** Without it one cannot do it. */
  write: Permission
  found: ReactNode
  action: ReactNode
}

const some = (rows: readonly unknown[] | undefined): boolean | undefined => rows && rows.length > 0

export const stepsOf = (hour: FirstHour): Step[] => [
  ...houseSteps(hour),
  ...bankSteps(hour),
  walletStep(hour),
  periodStep(hour),
  ...peopleSteps(hour),
]

function houseSteps({ settings, assets }: FirstHour): Step[] {
  const zone = settings?.find(({ key }) => key === 'mail_time_zone')
  return [
    {
      key: 'zone',
      title: t('Time zone'),
      done: zone && zone.changed_at !== null,
      read: 'settings.read',
      write: 'settings.mails.write',
      found:
        zone !== undefined &&
        t(
          '{{value}}: mails and papers for customers have its times. Pages show those of ' +
            'your browser. How numbers are written is chosen by each person, in the user’s ' +
            'menu.',
          { value: String(zone.value) },
        ),
      action: zone && <SettingLink setting={zone} />,
    },
    {
      key: 'assets',
      title: t('Currencies'),
      done: some(assets),
      read: 'accounts.read',
      write: 'assets.write',
      found: some(assets)
        ? assets?.map(({ code }) => code).join(', ')
        : t('Those of your accounts, such as EUR with two decimals.'),
      action: <ActionButton plan={addPlan('ASSET')} />,
    },
  ]
}

function bankSteps({ banks, declared, unwritten }: FirstHour): Step[] {
  const [bank] = banks ?? []
  const page =
    declared && `/administration/declarations/${encodeURIComponent(declared.key)}#secrets`
  /** Which has sent one, as long as any has. */
  const heard = banks?.find(({ state }) => state === 'CONNECTED') ?? bank
  return [
    {
      key: 'bank',
      title: t('Your bank'),
      done: some(banks),
      read: 'venues.read',
      write: 'venues.write',
      found: some(banks)
        ? banks?.map(({ label }) => label).join(', ')
        : t('The bank that holds your own accounts, by IBAN or account number.'),
      action: <ActionButton plan={declareBank} />,
    },
    {
      key: 'secrets',
      title: t('Secrets of the bank'),
      done: bank === undefined ? false : unwritten && unwritten.length === 0,
      read: 'declarations.read',
      write: 'venues.secrets.write',
      found: secretWords(bank, unwritten),
      action: page && (unwritten ?? []).length > 0 && <Link to={page}>{t('Write them')}</Link>,
    },
    {
      key: 'statement',
      title: t('First statement'),
      done: banks?.some(({ state }) => state === 'CONNECTED'),
      read: 'venues.read',
      write: 'venues.read',
      found: statementWords(heard, declared?.folder),
      action: heard && <Link to={`/venues/${heard.id}`}>{t('See the bank')}</Link>,
    },
  ]
}

function secretWords(bank: Bank | undefined, unwritten: readonly string[] | undefined): string {
  if (bank === undefined) return t('A bank over SFTP needs a key or a password.')
  if (unwritten === undefined) return ''
  return unwritten.length === 0
    ? t('None is missing.')
    : t('Not written yet: {{secrets}}.', { secrets: unwritten.map(secretLabel).join(', ') })
}

function statementWords(bank: Bank | undefined, folder: string | null | undefined): ReactNode {
  if (bank?.connected_at != null)
    return (
      <Trans
        i18nKey="Seen, and the opening balance booked: <time/>"
        components={{ time: <Time at={bank.connected_at} /> }}
      />
    )
  const place =
    folder == null
      ? t('Its first statement (camt.053) is read as soon as it is there.')
      : t(
          'Its first statement (camt.053) is expected in {{folder}}/inbox, in the folder ' +
            'of the operator for banks.',
          { folder },
        )
  return bank?.fault == null ? place : `${place} ${sentenceOf(bank.fault)}`
}

function walletStep({ banks, wallets, declared }: FirstHour): Step {
  const [bank] = banks ?? []
  const ids = banks?.map(({ id }) => id)
  const ours = wallets?.filter(
    ({ type, state, venue_id }) =>
      type === 'VENUE' && state === 'ACTIVE' && venue_id !== null && ids?.includes(venue_id),
  )
  return {
    key: 'wallets',
    title: t('Wallets of your accounts'),
    done: some(ours),
    read: 'treasury.wallets.read',
    write: 'treasury.wallets.write',
    found: some(ours)
      ? ours?.map(({ label }) => label).join(', ')
      : t(
          'Each account at the bank is a wallet: deposits arrive there, and payments ' +
            'leave from it.',
        ),
    action: <ActionButton plan={walletOf(bank, declared?.declaration)} />,
  }
}

function periodStep({ settings, openings }: FirstHour): Step {
  const period = settings?.find(({ key }) => key === 'open_period_from')
  return {
    key: 'period',
    title: t('Opening balance and open period'),
    done: period && period.value !== null,
    read: 'settings.read',
    write: 'settings.period.write',
    found: (
      <Trans
        i18nKey="<openings/> Before the start of the open period nothing is booked."
        components={{ openings: <Openings openings={openings} /> }}
      />
    ),
    action: period && <SettingLink setting={period} />,
  }
}

function Openings({ openings }: Pick<FirstHour, 'openings'>): ReactNode {
  if (openings === undefined || openings.length === 0)
    return t('What the bank holds at first is booked with its first statement.')
  return (
    <>
      {t('Booked at first:')}{' '}
      {openings.map(({ id, asset, legs }) => (
        <span key={id}>
          <Link to={`/books/bookings/${id}`}>
            <Amount value={legs[0]?.quantity ?? '0'} asset={asset} />
          </Link>{' '}
          <Name of="account" id={legs[0]?.account_id} />
          {'. '}
        </span>
      ))}
    </>
  )
}

const peopleSteps = ({ users, customers, matchings, deposits, assigned }: FirstHour): Step[] => [
  {
    key: 'users',
    title: t('Colleagues'),
    done: users && users.length > 1,
    read: 'users.write',
    write: 'users.write',
    found:
      users === undefined
        ? ''
        : t('Users: {{number}}. What each may do follows from roles.', { number: users.length }),
    action: <Link to="/administration/users">{t('Users')}</Link>,
  },
  {
    key: 'customers',
    title: t('Customers'),
    done: some(customers),
    read: 'customers.read',
    write: 'customers.write',
    found: t('A customer has an account for every currency from the start.'),
    action: <ActionButton plan={createCustomer} />,
  },
  {
    key: 'matchings',
    title: t('Matching rules'),
    done: some(matchings),
    read: 'matchings.read',
    write: 'matchings.write',
    found: t(
      'A rule assigns what arrives: by the account that it comes to or from, and a reference.',
    ),
    action: <Link to="/treasury/matchings">{t('Matchings')}</Link>,
  },
  {
    key: 'deposit',
    title: t('A first deposit assigned'),
    done: some(assigned),
    read: 'treasury.deposits.read',
    write: 'assignments.create',
    found: some(deposits)
      ? t('A deposit is there. What no rule has assigned, a person assigns.')
      : t('Nothing has arrived since the first statement.'),
    action: <Link to="/treasury/deposits?state=UNASSIGNED">{t('See deposits')}</Link>,
  },
]
