import type { ReactNode } from 'react'
import { useBrand } from '../api/brand.ts'
import { Logo } from '../parts/logo.tsx'
import { Mark } from './mark.tsx'

/** Whose Kontor it is, with its logo; Kontor's own where nobody has said. */
export function BrandName({ logo }: { logo: string | undefined }): ReactNode {
  const { name } = useBrand()
  return (
    <>
      {logo === undefined ? <Mark /> : <Logo src={logo} />}{' '}
      <span className="brand-text">{name ?? 'Kontor'}</span>
    </>
  )
}
