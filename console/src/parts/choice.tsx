/** Choices that stand in the address, so that a link shows the same. */
import { Select } from 'antd'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { useAssets } from '../api/assets.tsx'

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

/** The currency in which a page shows values: as chosen, else EUR, else the first there is. */
export function useCurrencyChoice(name: string) {
  const [asked, choose] = useChoice(name)
  const fiat = [...useAssets().values()].filter(({ kind }) => kind === 'FIAT')
  const options = optionsOf(fiat.map(({ code }) => code))
  const of = (code: string | null) => options.find(({ value }) => value === code)?.value
  return { value: of(asked) ?? of('EUR') ?? options[0]?.value, options, choose }
}
