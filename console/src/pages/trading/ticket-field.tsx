/** One field of the ticket: what its inputs read and write, and the label around them. */
import { useId } from 'react'
import type { ReactNode } from 'react'
import type { Market, Written } from './draft.ts'

export type InputsProps = {
  written: Written
  write(change: Partial<Written>): void
  market: Market | undefined
}

export function Field({
  label,
  help,
  children,
}: {
  label: string
  help?: string
  children(id: string): ReactNode
}): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {help !== undefined && <small>{help}</small>}
    </div>
  )
}
