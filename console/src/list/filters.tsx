/** The filters above a list, as data. A filter is a parameter of the endpoint. */
import { plainAmount } from '@kontor/client'
import { Button, Input, Select } from 'antd'
import { Fragment, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { AmountInput } from '../parts/amount-input.tsx'
import { isSought } from '../api/named.ts'
import { useNamedOptions } from '../api/names.ts'
import type { NamedKind, NamedOption } from '../api/names.ts'
import { t } from '../language/index.ts'
import { PERIODS, zoneName } from '../parts/periods.ts'
import type { Period } from '../parts/periods.ts'
import { inWords } from '../parts/status.tsx'
import { AppliedTime } from '../parts/time-input.tsx'
import type { ListState } from './state.ts'

export type Filter<Name extends string = string> = { name: Name; label: string } &
  /** `many`: the API takes a comma-separated list. */
  (
    | { kind: 'words'; options: readonly string[]; many?: boolean }
    | { kind: 'text' }
    | { kind: 'amount' }
    /** A local date and time, sent as Unix milliseconds. */
    | { kind: 'time' }
    | { kind: 'flag' }
    | { kind: NamedKind }
  )

export function Filters({
  filters,
  state,
}: {
  filters: readonly Filter[]
  state: ListState
}): ReactNode {
  const firstTime = filters.find(({ kind }) => kind === 'time')
  return (
    <>
      {filters.map((filter) => (
        <Fragment key={filter.name}>
          {filter === firstTime && state.period !== undefined && (
            <PeriodFilter chosen={state.period.chosen} choose={state.period.choose} />
          )}
          <FilterInput
            filter={filter}
            value={state.query[filter.name]}
            change={(value) => {
              state.filter(filter.name, value)
            }}
          />
        </Fragment>
      ))}
      {Object.keys(state.query).length > 0 && (
        <Button type="link" size="small" onClick={state.clear}>
          {t('Clear filters')}
        </Button>
      )}
    </>
  )
}

/** Ranges of days; beside it stand the times that the chosen one means. */
function PeriodFilter({ chosen, choose }: NonNullable<ListState['period']>): ReactNode {
  return (
    <span title={t('Days begin at midnight, {{zone}}', { zone: zoneName() })}>
      <Select
        size="small"
        aria-label={t('Period')}
        placeholder={t('Period')}
        allowClear
        className="filter period"
        value={chosen}
        options={(Object.keys(PERIODS) as Period[]).map((period) => ({
          value: period,
          label: PERIODS[period],
        }))}
        onChange={choose}
      />
    </span>
  )
}

type FilterProps = {
  filter: Filter
  value: string | undefined
  change(value: string | undefined): void
}

function FilterInput({ filter, value, change }: FilterProps): ReactNode {
  const { label, kind } = filter
  switch (kind) {
    case 'words':
      return (
        <Select
          size="small"
          aria-label={label}
          placeholder={label}
          allowClear
          className="filter"
          popupMatchSelectWidth={false}
          {...(filter.many === true ? MANY : {})}
          value={filter.many === true ? (value?.split(',') ?? []) : value}
          options={filter.options.map((word) => ({ value: word, label: inWords(word) }))}
          onChange={(chosen: string | string[] | undefined) => {
            change(Array.isArray(chosen) ? chosen.join() : chosen)
          }}
        />
      )
    case 'flag':
      return (
        <Select
          size="small"
          aria-label={label}
          placeholder={label}
          allowClear
          className="filter"
          value={value}
          options={[
            { value: 'true', label: t('{{label}}: yes', { label }) },
            { value: 'false', label: t('{{label}}: no', { label }) },
          ]}
          onChange={change}
        />
      )
    case 'time':
      return <TimeFilter label={label} value={value} change={change} />
    case 'amount':
      return <AmountFilter label={label} value={value} change={change} />
    case 'text':
      return <TextFilter label={label} value={value} change={change} />
    default:
      return <NameFilter label={label} kind={kind} value={value} change={change} />
  }
}

/** All that is chosen is one text, which is cut where it is too long, and told in full on hover. */
const MANY = {
  mode: 'multiple' as const,
  maxTagCount: 0,
  maxTagPlaceholder: (chosen: { label?: ReactNode }[]): ReactNode => {
    const words = chosen.map(({ label }) => String(label)).join(', ')
    return (
      <span className="chosen" title={words}>
        {words}
      </span>
    )
  },
}

type ValueProps = {
  label: string
  value: string | undefined
  change(value: string | undefined): void
}

/** Applied when typing ends: by Enter, or on leaving the field. */
function TextFilter({ label, value, change }: ValueProps): ReactNode {
  const [typed, setTyped] = useState(value ?? '')
  useEffect(() => {
    setTyped(value ?? '')
  }, [value])
  const end = (): void => {
    if (typed.trim() !== (value ?? '')) change(typed.trim())
  }
  return (
    <Input
      size="small"
      allowClear
      className="filter"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value)
        if (event.target.value === '') change(undefined)
      }}
      onPressEnter={end}
      onBlur={end}
    />
  )
}

/** Where a text can mean two amounts, the field asks, and nothing is filtered until then. */
function AmountFilter({ label, value, change }: ValueProps): ReactNode {
  const [typed, setTyped] = useState(value ?? '')
  useEffect(() => {
    setTyped(value ?? '')
  }, [value])
  const end = (amount: string): void => {
    const read = plainAmount(amount)
    if (read !== undefined && read !== value) change(read)
  }
  return (
    <span
      className="amount-filter"
      onBlur={() => {
        end(typed)
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') end(typed)
      }}
    >
      <AmountInput
        small
        zero
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(amount) => {
          setTyped(amount)
          if (amount === '') change(undefined)
        }}
      />
    </span>
  )
}

function TimeFilter({ label, value, change }: ValueProps): ReactNode {
  return (
    <label className="time-filter">
      {label}{' '}
      <AppliedTime
        size="small"
        value={value === undefined ? undefined : Number(value)}
        onChange={(at) => {
          change(at === undefined ? undefined : String(at))
        }}
      />
    </label>
  )
}

const SEARCH = {
  filterOption: (typed: string, option?: NamedOption): boolean =>
    option !== undefined && isSought(typed, option),
}
const LIST_PIXELS = 420

function NameFilter({ label, kind, value, change }: ValueProps & { kind: NamedKind }): ReactNode {
  const options = useNamedOptions(kind)
  return (
    <Select<string, NamedOption>
      size="small"
      showSearch={SEARCH}
      allowClear
      aria-label={label}
      placeholder={label}
      className="filter"
      popupMatchSelectWidth={LIST_PIXELS}
      {...(value === undefined ? {} : { value })}
      onChange={change}
      options={[...options]}
    />
  )
}
