/** What the panels of the page have in common: a title, choices, and what stands in for a plot. */
import { Select } from 'antd'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Failure, Loading } from '../../../parts/states.tsx'

export function Panel({
  title,
  choices,
  reading: { data, error, refetch },
  children,
}: {
  title: string
  choices?: ReactNode
  reading: { data: unknown; error: Error | null; refetch(): unknown }
  children: ReactNode
}): ReactNode {
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>{title}</h2>
        <span className="space" />
        {choices}
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {error === null && data === undefined && <Loading />}
      {error === null && data !== undefined && children}
    </section>
  )
}

/** A choice that stands in the address under this name, so that a link shows the same. */
export function useChoice(name: string): [string | null, (value: string) => void] {
  const [params, setParams] = useSearchParams()
  return [
    params.get(name),
    (value) => {
      setParams((old) => {
        old.set(name, value)
        return old
      })
    },
  ]
}

export function Choice({
  label,
  value,
  options,
  choose,
}: {
  label: string
  value: string | undefined
  options: readonly { value: string; label: string }[]
  choose(value: string): void
}): ReactNode {
  if (value === undefined) return null
  return (
    <Select
      size="small"
      aria-label={label}
      value={value}
      options={[...options]}
      onChange={choose}
      popupMatchSelectWidth={false}
    />
  )
}

/** Codes as options, each once. */
export const optionsOf = (codes: Iterable<string>): { value: string; label: string }[] =>
  [...new Set(codes)].toSorted().map((value) => ({ value, label: value }))
